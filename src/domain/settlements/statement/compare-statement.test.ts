import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SettlementLine } from '../settlement-line.ts';
import { compareStatement } from './compare-statement.ts';
import { csvRecord } from './csv-record.ts';
import { digestStatement, guardCells, type StatementForm, writeStatement } from './write-statement.ts';

const at = new Date('2026-11-20T19:29:00.000Z');

const contribution = (lineNo: number): SettlementLine => ({
  lineNo,
  lineType: 'contribution',
  transactionId: `txn_${lineNo}`,
  adjustmentId: null,
  partnerEventId: `evt-000${lineNo}`,
  partnerOrderRef: `00-${lineNo}`,
  points: 250n,
  amount: null,
  currency: null,
  confirmedAt: at,
  postedAt: null,
  contributionRuleVersion: 'r-1',
  pointConversionVersion: 'p-1',
  treeCostVersion: 't-1',
  calculationId: null,
  associationStatus: 'not_requested',
  reasonCode: null,
  originalSettlementId: null,
});
const adjustment = (lineNo: number): SettlementLine => ({
  ...contribution(lineNo),
  lineType: 'adjustment',
  transactionId: 'txn_2',
  adjustmentId: `adj_${lineNo}`,
  points: -5n,
  reasonCode: 'other',
});
const lines = [1, 2, 3, 4, 5, 6].map(contribution).concat([7, 8].map(adjustment));

async function textOf(form: StatementForm = 'plain'): Promise<string> {
  return Buffer.concat(await Array.fromAsync(writeStatement(lines, { isExcelSafe: form === 'excel_safe' }))).toString();
}
const file = await textOf();
const rows = file.split('\n').slice(0, -1);
const join = (texts: readonly (string | undefined)[]) => texts.map((text) => `${text}\n`).join('');

/** What differs, as `line column code`. */
async function problemsOf(text: string, form: StatementForm = 'plain'): Promise<string[]> {
  const { problems, more } = await compareStatement([Buffer.from(text)], lines, form);
  const reported = problems.map(({ line, column, code }) => `${line ?? '-'} ${column ?? '-'} ${code}`);
  return more > 0 ? [...reported, `${more} more`] : reported;
}

const edited = (row: number, from: string, to: string) => {
  const changed = rows.with(row, (rows[row] as string).replace(from, to));
  assert.notDeepEqual(changed, rows);
  return join(changed);
};
const renumbered = (texts: readonly (string | undefined)[]) =>
  join(texts.map((text, n) => (n === 0 ? text : text?.replace(/^\d+/, String(n)))));

test('settlements, section 2, Statement: the file of the lines does not differ, in either form', async () => {
  assert.deepEqual(await problemsOf(file), []);
  assert.deepEqual(await problemsOf(await textOf('excel_safe'), 'excel_safe'), []);
  const { foundLines, serviceSha256, firstTransactionId } = await compareStatement([Buffer.from(file)], lines, 'plain');
  assert.deepEqual([foundLines, serviceSha256, firstTransactionId], [8, (await digestStatement(lines)).csvSha256, 'txn_1']);
});

test('settlements, section 2, Statement: each changed line and column is named, also where changes cancel out in the sum', async () => {
  assert.deepEqual(await problemsOf(edited(2, ',250,', ',251,')), ['3 points other_value']);
  assert.deepEqual(await problemsOf(edited(4, '00-4', '00-5')), ['5 partner_order_ref other_value']);
  assert.deepEqual(await problemsOf(edited(3, 'txn_3', 'txn_9')), ['4 transaction_id other_value']);
  assert.deepEqual(await problemsOf(edited(3, '\u0033,contribution', '9,contribution')), ['4 line_no line_gap']);
  const two = edited(2, ',250,', ',251,').replace(/^5(.*),250,/m, '5$1,249,');
  assert.deepEqual(await problemsOf(two), ['3 points other_value', '6 points other_value']);
  const { problems } = await compareStatement([Buffer.from(two)], lines, 'plain');
  assert.equal(problems[0]?.message, 'The file has "251", but the service wrote "250".');
});

test('settlements, section 2, Statement: a removed, added, repeated or moved line is reported as that, and no other is blamed', async () => {
  const [, a, b, c] = rows as [string, string, string, string];
  for (const write of [join, renumbered]) {
    assert.deepEqual(await problemsOf(write(rows.toSpliced(3, 1))), ['4 - line_missing']);
    assert.deepEqual(await problemsOf(write(rows.slice(0, -1))), ['9 - line_missing']);
    assert.deepEqual(await problemsOf(write(rows.toSpliced(3, 0, a))), ['4 - line_added']);
    assert.deepEqual(await problemsOf(write(rows.toSpliced(3, 0, c?.replace('txn_3', 'txn_x')))), ['4 - line_added']);
    assert.deepEqual(await problemsOf(write(rows.toSpliced(1, 2, b, a))), ['2 - line_moved']);
    assert.deepEqual(await problemsOf(write([...rows.toSpliced(1, 1), a])), ['9 - line_moved']);
  }
  const { problems } = await compareStatement([Buffer.from(join(rows.slice(0, 3)))], lines, 'plain');
  assert.deepEqual(
    problems.map(({ line, message }) => `${line} ${message}`),
    ['4 Lines 3 to 8 of the statement: missing in the file.'],
  );
});

test('settlements, section 2, Statement: what is no line of a statement is named in its place', async () => {
  assert.deepEqual(await problemsOf(edited(3, '00-3', '00,3')), ['4 - wrong_cell_count']);
  assert.deepEqual(await problemsOf(file.slice(0, -1)), ['9 - no_line_end']);
  assert.deepEqual(await problemsOf(`${file}total,1750\n`), ['10 - line_added']);
  const [first] = (await compareStatement([Buffer.from(edited(3, '00-3', '\u001b[2J'))], lines, 'plain')).problems;
  assert.equal(first?.message, 'The file has "\\u001b[2J", but the service wrote "00-3".', 'nothing that a terminal obeys');
});

test('settlements, section 2, Statement: in the form for spreadsheets a changed cell is named, and one without its apostrophe', async () => {
  const safe = await textOf('excel_safe');
  assert.deepEqual(await problemsOf(safe.replace(',250,', ',251,'), 'excel_safe'), ['2 points other_value']);
  assert.deepEqual(await problemsOf(safe.replace("'00-4", '00-4'), 'excel_safe'), ['5 partner_order_ref other_value']);
});

test('settlements, section 2, Statement: of many differences the first twenty are reported and the others counted', async () => {
  const many = Array.from({ length: 100 }, (_, n) => contribution(n + 1));
  const text = Buffer.concat(await Array.fromAsync(writeStatement(many)))
    .toString()
    .replaceAll(',250,', ',1,');
  const { problems, more } = await compareStatement([Buffer.from(text)], many, 'plain');
  assert.deepEqual([problems.length, problems[0]?.line, problems[19]?.line, more], [20, 2, 21, 80]);
});

test('settlements, section 2, Statement: any change of lines is reported, wherever the bytes are cut', async () => {
  const change = fc.record({
    from: fc.nat({ max: 7 }),
    to: fc.nat({ max: 7 }),
    kind: fc.constantFrom('move', 'remove', 'repeat', 'change'),
  });
  await fc.assert(
    fc.asyncProperty(change, fc.nat({ max: file.length }), async ({ from, to, kind }, cut) => {
      const own = rows.slice(1);
      const [line] = own.splice(from, 1) as [string];
      if (kind === 'move') own.splice(to, 0, line);
      if (kind === 'repeat') own.splice(from, 0, line, line);
      if (kind === 'change') own.splice(from, 0, csvRecord(guardCells(line.split(',').with(9, '2026'))).trimEnd());
      const text = join([rows[0], ...own]);
      const bytes = Buffer.from(text);
      const { problems } = await compareStatement([bytes.subarray(0, cut), bytes.subarray(cut)], lines, 'plain');
      assert.equal(problems.length > 0, text !== file);
    }),
  );
});
