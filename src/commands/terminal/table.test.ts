import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { COLUMNS_MAX, layOutFields, layOutTable } from './table.ts';

test('columns stand below each other, beside Arabic names with vowel marks too', () => {
  const rows = [
    { name: 'Store', status: 'active' },
    { name: 'مَتْجَرٌ', status: 'active' },
    { name: '商店', status: 'suspended' },
  ];
  assert.equal(stringWidth('مَتْجَرٌ'), 4);
  assert.deepEqual(layOutTable(rows), ['NAME   STATUS', 'Store  active', 'مَتْجَرٌ   active', '商店   suspended']);
  assert.deepEqual(layOutFields({ name: 'مَتْجَرٌ', city: 'x' }), ['name  مَتْجَرٌ', 'city  x']);
});

test('a wide table is wrapped at spaces, and nothing is lost', () => {
  const message = 'the database cannot be reached, because nobody started it '.repeat(4).trim();
  const lines = layOutTable([{ check: 'connection', message }]);
  assert.ok(lines.length > 2);
  assert.ok(lines.every((line) => stringWidth(line) <= COLUMNS_MAX));
  assert.equal(
    lines
      .slice(1)
      .map((line) => line.slice('connection'.length).trim())
      .join(' '),
    message,
  );
});

test('rows that do not fit in any way are shown as fields', () => {
  const id = 'x'.repeat(50);
  const lines = layOutTable([
    { one: id, two: id, three: id },
    { one: 'a', two: 'b', three: 'c' },
  ]);
  assert.deepEqual(lines, [`one    ${id}`, `two    ${id}`, `three  ${id}`, '', 'one    a', 'two    b', 'three  c']);
});

test('whatever is in it: no line is wider than 120 columns, but for a single word', () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((word) => word.replaceAll(/\s/g, '_')),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  const row = fc.record({ a: text, b: text, c: text, d: text });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const shown = rows.map((each) => Object.fromEntries(Object.entries(each).map(([name, words]) => [name, words.join(' ')])));
      const lines = layOutTable(shown);
      const isTable = lines[0]?.startsWith('A ') === true || lines[0] === 'A';
      if (isTable) for (const line of lines) assert.ok(stringWidth(line) <= COLUMNS_MAX);
      const words = (of: readonly string[]) => of.join(' ').split(/\s+/).filter(Boolean).sort();
      const all = shown.flatMap((each) => Object.values(each));
      const shownWords = new Set(words(lines));
      for (const word of words(all)) assert.ok(shownWords.has(word));
    }),
    { numRuns: 50 },
  );
});

test('a table of more rows than a call takes arguments, of which one is wrapped', () => {
  const short = Array.from({ length: 150_000 }, (_, index) => ({ record: `txn_${index}`, problem: 'was changed' }));
  const long = { record: 'txn', problem: 'was changed '.repeat(12).trim() };
  assert.equal(layOutTable([long, ...short]).length, 1 + 2 + short.length);
});
