import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readAmount } from '../../numbers/money.ts';
import { POINTS_MAX } from '../../numbers/points.ts';
import type { SettlementLine } from '../settlement-line.ts';
import { digestStatement, type StatementOptions, writeStatement } from './write-statement.ts';

const contribution: SettlementLine = {
  lineNo: 1,
  lineType: 'contribution',
  transactionId: 'txn_01KA2Z9V7M5CEN5XA66EMZSRZW',
  adjustmentId: null,
  partnerEventId: 'evt-2026-0001',
  partnerOrderRef: '00123',
  points: 250n,
  amount: readAmount('12.5') ?? null,
  currency: 'AED',
  confirmedAt: new Date('2026-11-20T19:29:00.000Z'),
  postedAt: null,
  contributionRuleVersion: 'points-1',
  pointConversionVersion: '2026-11',
  treeCostVersion: 'tree-1',
  calculationId: 'calc_01KA2Z9V7M5CEN5XA66EMZSRZW',
  associationStatus: 'associated',
  reasonCode: null,
  originalSettlementId: null,
};
const adjustment: SettlementLine = {
  ...contribution,
  lineNo: 2,
  lineType: 'adjustment',
  adjustmentId: 'adj_01KA2Z9V7M5CEN5XA66EMZSRZW',
  points: -POINTS_MAX,
  amount: null,
  currency: null,
  confirmedAt: null,
  postedAt: new Date('2026-11-21T00:00:00.000Z'),
  calculationId: null,
  associationStatus: null,
  reasonCode: 'duplicate_report',
  originalSettlementId: 'stl_01KA2Z9V7M5CEN5XA66EMZSRZW',
};

async function write(lines: Iterable<SettlementLine>, options?: StatementOptions): Promise<string> {
  const chunks = [];
  for await (const chunk of writeStatement(lines, options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** So many lines, made one at a time. */
function* manyLines(count: number): Generator<SettlementLine> {
  for (let lineNo = 1; lineNo <= count; lineNo++) yield { ...contribution, lineNo, partnerEventId: `evt-2026-${lineNo}` };
}

test('settlements, section 2, Statement: a header row, then the lines, columns in their order, LF, no footer', async () => {
  assert.deepEqual((await write([contribution, adjustment])).split('\n'), [
    'line_no,line_type,transaction_id,adjustment_id,partner_event_id,partner_order_ref,points,amount,currency,confirmed_at_utc,posted_at_utc,contribution_rule_version,point_conversion_version,tree_cost_version,calculation_id,association_status,reason_code,original_settlement_id',
    '1,contribution,txn_01KA2Z9V7M5CEN5XA66EMZSRZW,,evt-2026-0001,00123,250,12.5,AED,2026-11-20T19:29:00.000Z,,points-1,2026-11,tree-1,calc_01KA2Z9V7M5CEN5XA66EMZSRZW,associated,,',
    '2,adjustment,txn_01KA2Z9V7M5CEN5XA66EMZSRZW,adj_01KA2Z9V7M5CEN5XA66EMZSRZW,evt-2026-0001,00123,-9223372036854775807,,,,2026-11-21T00:00:00.000Z,points-1,2026-11,tree-1,,,duplicate_report,stl_01KA2Z9V7M5CEN5XA66EMZSRZW',
    '',
  ]);
});

test('settlements, section 2, Statement: a period without activity is a header row', async () => {
  const text = await write([]);
  assert.equal(text.split('\n').length, 2);
  assert.equal((await digestStatement([])).lineCount, 0);
});

test('settlements, section 2, excel_safe: references, labels and long numbers are guarded, other cells are as they were', async () => {
  const [, first = '', second = ''] = (await write([contribution, adjustment], { isExcelSafe: true })).split('\n');
  assert.equal(
    first,
    "1,contribution,txn_01KA2Z9V7M5CEN5XA66EMZSRZW,,evt-2026-0001,'00123,250,12.5,AED,2026-11-20T19:29:00.000Z,,points-1,'2026-11,tree-1,calc_01KA2Z9V7M5CEN5XA66EMZSRZW,associated,,",
  );
  assert.ok(second.includes(",'-9223372036854775807,"));
  const guarded = await write([contribution, adjustment], { isExcelSafe: true });
  assert.equal(guarded.replaceAll(",'", ','), await write([contribution, adjustment]));
});

test('settlements, section 2, Statement: the same bytes every time, and their SHA-256, however they are cut', async () => {
  const text = await write(manyLines(5_000));
  assert.equal(await write(manyLines(5_000)), text);
  assert.deepEqual(await digestStatement(manyLines(5_000)), {
    csvSha256: createHash('sha256').update(text).digest('hex'),
    lineCount: 5_000,
    byteCount: Buffer.byteLength(text),
  });
});

test('settlements, section 2, excel_safe: the digest is that of the plain bytes, which guarded cells leave as it is', async () => {
  const chunks = writeStatement([contribution, adjustment], { isExcelSafe: true });
  let step = await chunks.next();
  while (!step.done) step = await chunks.next();
  assert.deepEqual(step.value, await digestStatement([contribution, adjustment]));
});

test('settlements, section 2, Statement: a gap in the lines is a defect, never a shorter statement', async () => {
  await assert.rejects(write([adjustment]), /Line 2 of a settlement stands where line 1 belongs/);
  await assert.rejects(write([contribution, contribution]), RangeError);
});

test('settlements, section 2, Statement: chunks stay small, and lines are taken as chunks are read', async () => {
  let taken = 0;
  const lines = function* () {
    for (const line of manyLines(20_000)) {
      taken++;
      yield line;
    }
  };
  let [largest, seen] = [0, 0];
  for await (const chunk of writeStatement(lines())) {
    largest = Math.max(largest, chunk.length);
    seen++;
    assert.ok(taken < seen * 600, `${taken} lines for ${seen} chunks`);
  }
  assert.ok(largest < 70_000 && seen > 40);
});
