import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, amountText, readUnitPrice } from '../numbers/money.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { type AdjustmentContext, checkNewAdjustment, type NewAdjustment, problemForPartner } from './new-adjustment.ts';

const duplicate: NewAdjustment = {
  reasonCode: 'duplicate_report',
  reasonEn: 'The order was reported twice.',
  reasonAr: 'أُبلغ عن الطلب مرتين.',
  pointsDelta: -250n,
  amountDelta: null,
  reversalOf: null,
};
const restatement: NewAdjustment = { ...duplicate, reasonCode: 'conversion_restatement', pointsDelta: 0n, amountDelta: '-1.25' };
const context: AdjustmentContext = {
  transactionId: 'txn_a',
  contributionStatus: 'confirmed',
  points: 250n,
  settledPoints: 250n,
  restated: 0n,
  pointValue: 50_000_000_000n,
  highestValue: null,
  currency: 'SAR',
  reversed: undefined,
};
const posted = { transactionId: 'txn_a', status: 'posted', pointsDelta: -250n, amountDelta: null, isReversed: false } as const;

const problems = (adjustment: Partial<NewAdjustment>, over: Partial<AdjustmentContext> = {}) =>
  checkNewAdjustment({ ...duplicate, ...adjustment }, { ...context, ...over }).map(({ field, code }) => `${field} ${code}`);

test('settlements, section 3: points are adjusted within what is settled, and the amount follows', () => {
  assert.deepEqual(problems({}), []);
  assert.deepEqual(problems({ pointsDelta: -251n }), ['points_delta out_of_bounds']);
  assert.deepEqual(problems({ pointsDelta: 1n }), ['points_delta out_of_bounds']);
  assert.deepEqual(problems({ pointsDelta: 0n }), ['points_delta zero']);
  assert.deepEqual(problems({}, { settledPoints: 100n }), ['points_delta out_of_bounds']);
  assert.deepEqual(problems({ amountDelta: '-12.5' }), ['amount_delta not_expected']);
});

test('settlements, section 3: a restatement changes the amount alone, where there is one', () => {
  assert.deepEqual(problems(restatement), []);
  assert.deepEqual(problems({ ...restatement, pointsDelta: -1n }), ['points_delta not_expected']);
  assert.deepEqual(problems({ ...restatement, amountDelta: null }), ['amount_delta missing']);
  for (const amountDelta of ['0', '-0', '1e3', '0.0000000000001', ''])
    assert.deepEqual(problems({ ...restatement, amountDelta }), ['amount_delta wrong_form'], amountDelta);
  assert.deepEqual(problems(restatement, { pointValue: null }), ['amount_delta not_possible']);
});

test('settlements, section 3: a restatement has up to 31 digits before the point: the worth of all points at any price', () => {
  const dearest = { points: POINTS_MAX, settledPoints: POINTS_MAX, pointValue: readUnitPrice('999999999999.99') ?? null };
  const all = amountText(amountOf(POINTS_MAX, dearest.pointValue ?? 0n));
  assert.equal(all.split('.')[0]?.length, 31);
  assert.deepEqual(problems({ ...restatement, amountDelta: `-${all}` }, dearest), []);
  for (const sign of ['', '-'])
    assert.deepEqual(
      checkNewAdjustment({ ...restatement, amountDelta: `${sign}1${'0'.repeat(31)}` }, { ...context, ...dearest }).map(
        ({ message }) => message,
      ),
      ['amount_delta must have at most 31 digits before the point.'],
    );
});

test('settlements, section 3: a restatement keeps the settled amount within 0 and what the settled points are worth at most', () => {
  const restate = (amountDelta: string, over: Partial<AdjustmentContext> = {}) => problems({ ...restatement, amountDelta }, over);
  assert.deepEqual(restate('-12.5'), []);
  assert.deepEqual(restate('-12.51'), ['amount_delta out_of_bounds']);
  assert.deepEqual(restate('0.01'), ['amount_delta out_of_bounds']);
  const dearer = { highestValue: 70_000_000_000n };
  assert.deepEqual(restate('5', dearer), []);
  assert.deepEqual(restate('5.01', dearer), ['amount_delta out_of_bounds']);
  assert.deepEqual(restate('5', { ...dearer, settledPoints: 249n }), ['amount_delta out_of_bounds']);
  assert.deepEqual(
    restate('0.01', { highestValue: 10_000_000_000n }),
    ['amount_delta out_of_bounds'],
    'its own value counts too',
  );
  assert.deepEqual(restate('-1', { restated: -12_000_000_000_000n }), ['amount_delta out_of_bounds']);
  assert.deepEqual(problems({ pointsDelta: -250n }, { restated: -1n }), ['points_delta out_of_bounds']);
});

test('settlements, section 3: a restatement is in whole minor units, but for one that undoes an older one', () => {
  for (const [currency, amountDelta] of [
    ['SAR', '-1.005'],
    ['KWD', '-1.0005'],
    ['JPY', '-0.5'],
  ] as const)
    assert.deepEqual(problems({ ...restatement, amountDelta }, { currency }), ['amount_delta not_minor_units'], currency);
  for (const [currency, amountDelta] of [
    ['SAR', '-1.050'],
    ['KWD', '-1.005'],
    ['JPY', '-5'],
  ] as const)
    assert.deepEqual(problems({ ...restatement, amountDelta }, { currency }), [], currency);
  const older = { ...posted, pointsDelta: 0n, amountDelta: -500_000_000n };
  const undo = { ...restatement, amountDelta: '0.0005', reversalOf: 'adj_a' };
  assert.deepEqual(problems(undo, { reversed: older, restated: older.amountDelta }), []);
});

test('settlements, section 3: beyond that worth only for a reason of its own, and for none where it is not needed', () => {
  const beyondWorthReason = 'Agreed with the partner on 3 December.';
  assert.deepEqual(problems({ ...restatement, amountDelta: '99', beyondWorthReason }), []);
  assert.deepEqual(problems({ ...restatement, amountDelta: '99', beyondWorthReason: ' ' }), ['beyond_worth_reason wrong_form']);
  assert.deepEqual(problems({ ...restatement, beyondWorthReason }), ['beyond_worth_reason not_expected']);
  assert.deepEqual(problems({ ...restatement, amountDelta: '99.005', beyondWorthReason }), ['amount_delta not_minor_units']);
  assert.deepEqual(problems({ pointsDelta: 1n, beyondWorthReason }, { highestValue: 60_000_000_000n }), [
    'points_delta out_of_bounds',
    'beyond_worth_reason not_expected',
  ]);
});

test('settlements, section 3: only a confirmed contribution is adjusted', () => {
  for (const contributionStatus of ['pending', 'failed'] as const)
    assert.deepEqual(problems({}, { contributionStatus }), ['transaction_id not_confirmed']);
});

test('settlements, section 3, reversal_of: undoes a posted adjustment of the same contribution once, with the opposite deltas', () => {
  const undo = { pointsDelta: 250n, reversalOf: 'adj_a' };
  const settled = { settledPoints: 0n, reversed: posted };
  assert.deepEqual(problems(undo, settled), []);
  assert.deepEqual(problems(undo, { ...settled, reversed: undefined }), ['reversal_of not_found']);
  assert.deepEqual(problems(undo, { ...settled, reversed: { ...posted, transactionId: 'txn_b' } }), ['reversal_of not_found']);
  assert.deepEqual(problems(undo, { ...settled, reversed: { ...posted, status: 'draft' } }), ['reversal_of not_posted']);
  assert.deepEqual(problems(undo, { ...settled, reversed: { ...posted, isReversed: true } }), ['reversal_of already_reversed']);
  assert.deepEqual(problems({ ...undo, pointsDelta: 249n }, settled), ['reversal_of not_opposite']);
  const restated = { ...posted, pointsDelta: 0n, amountDelta: -1_250_000_000_000n };
  assert.deepEqual(
    problems(
      { ...restatement, amountDelta: '1.250', reversalOf: 'adj_a' },
      { reversed: restated, restated: restated.amountDelta },
    ),
    [],
  );
  const other = { ...restatement, amountDelta: '1.24', reversalOf: 'adj_a' };
  assert.deepEqual(problems(other, { reversed: restated, restated: restated.amountDelta }), ['reversal_of not_opposite']);
});

test('settlements, section 3: the reason is one of the list, with a line in both languages; all problems are told at once', () => {
  assert.deepEqual(problems({ reasonCode: 'goodwill' }), ['reason_code unsupported_value']);
  assert.deepEqual(problems({ reasonEn: ' ', reasonAr: 'x'.repeat(501), pointsDelta: 0n }, { contributionStatus: 'pending' }), [
    'transaction_id not_confirmed',
    'reason_en wrong_form',
    'reason_ar wrong_form',
    'points_delta zero',
  ]);
  for (const reasonEn of ['a\nb', 'a\u0000', '\ud800']) assert.deepEqual(problems({ reasonEn }), ['reason_en wrong_form']);
});

test('a partner is told nothing that operators alone can do', () => {
  const beyond = checkNewAdjustment({ ...restatement, amountDelta: '99' }, context).map(problemForPartner);
  const reversal = { ...duplicate, pointsDelta: 250n, reversalOf: 'adj_a' };
  const reversed = { ...posted, isReversed: true };
  const unposted = { ...reversed, status: 'draft' } as const;
  const tooEarly = checkNewAdjustment(reversal, { ...context, settledPoints: 0n, reversed: unposted }).map(problemForPartner);
  assert.equal(tooEarly[0]?.message, 'Only a posted adjustment can be reversed.');
  const again = checkNewAdjustment(reversal, { ...context, settledPoints: 0n, reversed }).map(problemForPartner);
  assert.match(beyond[0]?.message ?? '', /Change the delta, or reverse a restatement first \(reversal_of\)\.$/);
  assert.deepEqual(again, [
    {
      field: 'reversal_of',
      code: 'already_reversed',
      message: 'Another adjustment already reverses it, or is drafted to reverse it.',
    },
  ]);
});
