import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAmount } from '../../numbers/money.ts';
import type { SettlementLine } from '../settlement-line.ts';
import { type ExpectedStatement, verifyStatement } from './verify-statement.ts';
import { digestStatement, writeStatement } from './write-statement.ts';

const labels = { contributionRuleVersion: 'points-1', pointConversionVersion: 'value-1', treeCostVersion: 'tree-1' };
const nothing = {
  transactionId: null,
  adjustmentId: null,
  partnerEventId: null,
  partnerOrderRef: null,
  confirmedAt: null,
  postedAt: null,
};
const none = { ...nothing, calculationId: null, associationStatus: null, reasonCode: null, originalSettlementId: null };
const at = new Date('2026-11-20T19:29:00.000Z');
const money = (text: string) => ({ amount: readAmount(text) ?? null, currency: 'AED' });
const reported = { ...labels, transactionId: 'txn_1', partnerEventId: 'evt-0001', partnerOrderRef: 'ORDER-1' };
const carried: SettlementLine = {
  ...none,
  ...money('-0.5'),
  lineNo: 1,
  lineType: 'carried_forward',
  points: -10n,
  contributionRuleVersion: null,
  pointConversionVersion: null,
  treeCostVersion: null,
  originalSettlementId: 'stl_0',
};
const contribution: SettlementLine = {
  ...none,
  ...reported,
  ...money('12.5'),
  lineNo: 2,
  lineType: 'contribution',
  points: 250n,
  confirmedAt: at,
  associationStatus: 'not_requested',
};
const adjustment: SettlementLine = {
  ...none,
  ...reported,
  ...money('-2.505'),
  lineNo: 3,
  lineType: 'adjustment',
  adjustmentId: 'adj_1',
  points: -50n,
  postedAt: at,
  reasonCode: 'duplicate_report',
  originalSettlementId: 'stl_0',
};
const lines = [carried, contribution, adjustment];

const chunks: Buffer[] = [];
for await (const chunk of writeStatement(lines)) chunks.push(chunk);
const file = Buffer.concat(chunks).toString();
const expected: ExpectedStatement = {
  ...(await digestStatement(lines)),
  totals: {
    contributionCount: 1n,
    adjustmentCount: 1n,
    grossPoints: 250n,
    adjustmentPoints: -50n,
    carriedPoints: -10n,
    netPoints: 200n,
    amount: '9.50',
    currency: 'AED',
  },
};

/** What is wrong with a text, as `line column code`. */
async function problems(text: string, against: ExpectedStatement = {}): Promise<string[]> {
  const { problems: found, isIntact } = await verifyStatement([Buffer.from(text)], against);
  assert.equal(isIntact, found.length === 0);
  return found.map(({ line, column, code }) => `${line ?? '-'} ${column ?? '-'} ${code}`);
}

const edited = (pattern: string | RegExp, replacement: string) => {
  const text = file.replace(pattern, replacement);
  assert.notEqual(text, file);
  return text;
};

test('settlements, section 2, Statement: the file that the service made is intact', async () => {
  assert.deepEqual(await problems(file, expected), []);
  assert.deepEqual(await problems(file), []);
  const { csvSha256, lineCount, totals } = await verifyStatement([Buffer.from(file)]);
  assert.deepEqual([csvSha256, lineCount, totals.totalPoints], [expected.csvSha256, 3, 190n]);
});

test('settlements, section 2, Statement: however the bytes are cut, the verdict is the same', async () => {
  const bytes = Buffer.from(edited('evt-0001', 'evt 0001'));
  const whole = await verifyStatement([bytes], expected);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length })), async (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
      const pieces = places.slice(1).map((end, n) => bytes.subarray(places[n], end));
      assert.deepEqual(await verifyStatement(pieces, expected), whole);
    }),
  );
});

test('settlements, section 2, Statement: the first line and column that is wrong is named', async () => {
  const cases: [string, string][] = [
    [edited('evt-0001', 'evt 0001'), '3 partner_event_id wrong_form'],
    [edited('evt-0001', '"evt-0001"'), '3 partner_event_id wrong_form'],
    [edited('evt-0001', 'évt-0001'), '3 partner_event_id wrong_form'],
    [edited(',250,', ',0250,'), '3 points wrong_form'],
    [edited(',12.5,', ',12.50,'), '3 amount wrong_form'],
    [edited(',12.5,', ',-0,'), '3 amount wrong_form'],
    [edited(',12.5,AED', ',12.5,'), '3 currency wrong_form'],
    [edited('19:29:00.000Z', '19:29:00Z'), '3 confirmed_at_utc wrong_form'],
    [edited('not_requested', 'requested'), '3 association_status wrong_form'],
    [edited('\n2,', '\n4,'), '3 line_no line_gap'],
    [edited(/\n2,.*/, ''), '3 line_no line_gap'],
    [edited('evt-0001', ''), '3 partner_event_id missing'],
    [edited('adj_1', ''), '4 adjustment_id missing'],
    [edited('ORDER-1', 'ORDER,1'), '3 - wrong_cell_count'],
    [edited('\n2,contribution', '\n\n2,contribution'), '3 - wrong_cell_count'],
    [edited('partner_event_id', 'event'), '1 partner_event_id wrong_header'],
    [edited('settlement_id\n', 'settlement_id,more\n'), '1 - wrong_header'],
    [file.replaceAll('\n', '\r\n'), '1 - other_line_end'],
    [`\uFEFF${file}`, '1 line_no wrong_header'],
    [file.slice(0, -1), '4 - no_line_end'],
    [`${file}total,190\n`, '5 - wrong_cell_count'],
    [`${file}${'x'.repeat(10_000)}`, '5 - wrong_cell_count'],
    ['', '1 line_no wrong_header'],
  ];
  for (const [text, problem] of cases) {
    assert.deepEqual(await problems(text), [problem]);
    assert.deepEqual(await problems(text, expected), [problem, '- - other_sha256'], 'the whole file is hashed all the same');
  }
});

test('settlements, section 2, Statement: totals that are not those of the settlement are named', async () => {
  assert.deepEqual(await problems(edited(',-10,', ',-11,'), expected), ['- carried_in_points other_total', '- - other_sha256']);
  assert.deepEqual(await problems(edited(',250,', ',251,'), expected), [
    '- gross_points other_total',
    '- net_points other_total',
    '- - other_sha256',
  ]);
  assert.deepEqual(await problems(edited(/\n3,.*\n/, '\n'), expected), [
    '- line_count other_total',
    '- adjustment_count other_total',
    '- adjustment_points other_total',
    '- net_points other_total',
    '- amount other_total',
    '- - other_sha256',
  ]);
  const [{ message } = { message: '' }] = (await verifyStatement([Buffer.from(edited(',12.5,', ',13.5,'))], expected)).problems;
  assert.equal(message, 'The lines give amount 10.50; the settlement has 9.50.');
});

test('settlements, section 2, Statement: what the lines and totals do not show, the SHA-256 does', async () => {
  assert.deepEqual(await problems(edited('ORDER-1', 'ORDER-2'), expected), ['- - other_sha256']);
});

test('settlements, section 2, Statement: any change of a byte is found', async () => {
  const bytes = Buffer.from(file);
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), async (place, change) => {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ change;
      assert.equal((await verifyStatement([changed], expected)).isIntact, false);
    }),
  );
});
