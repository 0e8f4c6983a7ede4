import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRecord } from './csv-record.ts';

test('settlements, section 2, Statement: a record of RFC 4180 is quoted only where it must be', () => {
  assert.equal(csvRecord(['a', '', 'b']), 'a,,b\n');
  assert.equal(
    csvRecord(['a,b', 'say "so"', 'two\nlines', 'cr\r', ' blank ']),
    '"a,b","say ""so""","two\nlines","cr\r", blank \n',
  );
});

test('settlements, section 2, Statement: whatever cells hold, a reader of CSV finds them again', () => {
  const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(',', '"', '\n', '\r', 'a', 'ش') }));
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 });
  fc.assert(
    fc.property(rows, (records) => {
      const text = records.map(csvRecord).join('');
      assert.deepEqual(parse(text, { record_delimiter: '\n' }), records);
    }),
  );
});
