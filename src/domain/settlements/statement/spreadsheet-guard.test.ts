import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { guardNumber, guardText, guardWords } from './spreadsheet-guard.ts';

test('settlements, section 2, excel_safe: what would be read as a formula, number, date, time or truth value is guarded', () => {
  const formulas = ['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', '\r=1', '=cmd|/C calc!A0', '-', '|x', '%0A'];
  const numbers = ['007', '1', '1e5', '1E5', '.5', '12.50', '1-2', '2026-11', '2026-11-20', '12:30', '1.2.2026', ':5', '_1'];
  const words = ['TRUE', 'false', 'MAY5', 'mar-1', 'Sept.3', 'DEC:24', 'january2'];
  for (const text of [...formulas, ...numbers, ...words]) assert.equal(guardText(text), `'${text}`, text);
});

test('settlements, section 2, excel_safe: what stays as it is, stays as it is', () => {
  const texts = [
    '',
    'ORDER-17',
    'txn_01KA2Z9V7M5CEN5XA66EMZSRZW',
    'conversion_restatement',
    'AED',
    'Marble-1',
    'truely',
    'default-1',
    'a=1',
  ];
  for (const text of texts.filter((each) => each !== 'Marble-1')) assert.equal(guardText(text), text, text);
  assert.equal(guardText('Marble-1'), "'Marble-1", 'rather guarded than mistaken for a day in March');
});

test('settlements, section 2, excel_safe: a number stays one as long as a spreadsheet keeps its digits', () => {
  for (const text of ['0', '250', '-250', '0.05', '-12.5', '999999999999999', '-0.000000000001', '0.00000999999999999999'])
    assert.equal(guardNumber(text), text, text);
  for (const text of ['9223372036854775807', '-1000000000000000', '1234567890123456', '12345678.90123456'])
    assert.equal(guardNumber(text), `'${text}`, text);
});

test('settlements, section 2, excel_safe: no guarded text begins with what starts a formula or a number, and the guard comes off', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9._:-]{1,20}$/), (text) => {
      const guarded = guardText(text);
      assert.match(guarded, /^[A-Za-z']/);
      assert.equal(guarded.replace(/^'/, ''), text);
    }),
  );
});

test('a formula within a text is guarded, behind what some spreadsheets take for the end of a cell', () => {
  for (const [text, guarded] of [
    ['Thanks;=HYPERLINK(1)', "Thanks;'=HYPERLINK(1)"],
    ['شكرًا; =1+1', "شكرًا; '=1+1"],
    ['a\t+1\n-2;"@x', "a\t'+1\n'-2;\"'@x"],
    [';=1', "';'=1"],
    ['plain; text - with = signs', 'plain; text - with = signs'],
  ] as const)
    assert.equal(guardWords(text), guarded);
});

test('a free text that a spreadsheet would read as a date is guarded, and one that only begins like a month is not', () => {
  for (const text of [
    'March 2026',
    'May 5',
    'Dec/26',
    'sept. 3',
    'Jan, 5',
    'May 5, 2026',
    'jun\u00a02026',
    'Oct - 26',
    'MAY5',
    'true',
  ])
    assert.equal(guardWords(text), `'${text}`, text);
  for (const text of ['Marble 1', 'Decision 12 of the team', 'May be 5', 'Maybe', 'Junk, 5 lines', 'Market/2', 'مايو', 'March'])
    assert.equal(guardWords(text), text, text);
});
