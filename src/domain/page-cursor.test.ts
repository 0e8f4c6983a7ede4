import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPageCursor, writePageCursor } from './page-cursor.ts';

const list = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 });
const place = fc.string({ unit: 'grapheme', maxLength: 128 });

test('a cursor gives back its place, in characters that need no escaping in a query', () => {
  fc.assert(
    fc.property(list, place, (names, at) => {
      const cursor = writePageCursor(names, at);
      assert.equal(readPageCursor(names, cursor), at);
      assert.match(cursor, /^p[A-Za-z0-9_-]+$/);
    }),
  );
});

test('a cursor of another list, and any other text, is none', () => {
  fc.assert(
    fc.property(list, list, place, fc.string(), (names, others, at, text) => {
      fc.pre(JSON.stringify(names) !== JSON.stringify(others));
      assert.equal(readPageCursor(others, writePageCursor(names, at)), undefined);
      assert.equal(readPageCursor(names, text), undefined);
    }),
  );
});

test('another spelling of a cursor is none', () => {
  const cursor = writePageCursor(['listSettlements', 'ptn_1'], '42');
  for (const other of [`${cursor}=`, `${cursor}A`, cursor.slice(0, -1), cursor.toUpperCase(), ` ${cursor}`, cursor.slice(1)])
    assert.equal(readPageCursor(['listSettlements', 'ptn_1'], other), undefined, other);
});
