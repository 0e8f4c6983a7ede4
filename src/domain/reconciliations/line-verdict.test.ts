import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { POINTS_MAX } from '../numbers/points.ts';
import { RECONCILIATION_VERDICTS, type ReconciliationPair, type RecordedSide, reconcileLine } from './line-verdict.ts';

const listed = { partnerEventId: 'evt-0001', partnerOrderRef: 'O-1', points: 250n };
const recorded: RecordedSide = { ...listed, status: 'confirmed', settlementId: 'stl_1', netPoints: [250n, 250n] };
const pair: ReconciliationPair = { settlementId: 'stl_1', listed, recorded, listedBeforeAt: null };

const verdict = (over: Partial<ReconciliationPair>) => reconcileLine({ ...pair, ...over }).verdict;
const withRecord = (over: Partial<RecordedSide>) => verdict({ recorded: { ...recorded, ...over } });

test('settlements, section 2, Reconciliation: each verdict, and matched where both sides say the same', () => {
  assert.deepEqual(reconcileLine(pair), { verdict: 'matched', matchedPoints: 'gross', differences: [], advice: [] });
  assert.equal(verdict({ recorded: null }), 'missing_in_service');
  assert.equal(verdict({ listed: null }), 'missing_in_partner_file');
  assert.equal(withRecord({ points: 251n, netPoints: [251n] }), 'points_mismatch');
  assert.equal(withRecord({ partnerOrderRef: 'O-2' }), 'order_ref_mismatch');
  assert.equal(verdict({ listedBeforeAt: 2 }), 'duplicate_in_file');
  assert.equal(withRecord({ settlementId: 'stl_2' }), 'other_settlement');
  assert.equal(withRecord({ settlementId: null }), 'other_settlement');
});

test('settlements, section 2, Reconciliation: of several verdicts the first counts, and all differences are told', () => {
  const other = { ...recorded, points: 1n, netPoints: [1n], partnerOrderRef: 'O-2' };
  const { verdict: found, differences } = reconcileLine({ ...pair, recorded: other });
  assert.equal(found, 'points_mismatch');
  assert.deepEqual(differences, [
    { field: 'points', listed: '250', recorded: '1' },
    { field: 'partner_order_ref', listed: 'O-1', recorded: 'O-2' },
  ]);
  assert.equal(verdict({ recorded: { ...other, settlementId: 'stl_2' } }), 'other_settlement');
  assert.equal(verdict({ recorded: null, listedBeforeAt: 2 }), 'duplicate_in_file');
});

test('settlements, section 2, Reconciliation: what the service lacks carries the recovery verdict, and never allows points to be restored', () => {
  for (const missing of [null, { ...recorded, status: 'pending' }, { ...recorded, status: 'failed' }] as const) {
    const { verdict: found, advice } = reconcileLine({ ...pair, recorded: missing });
    assert.equal(found, 'missing_in_service');
    assert.deepEqual(
      advice.map(({ field, code }) => `${field} ${code}`),
      ['point_restoration not_authorized', 'next_action retry_same_request'],
    );
    assert.match(advice[1]?.message ?? '', /^Look up by partner_event_id: .* If it is not found, send the original confirmation/);
  }
});

test('settlements, section 2, Reconciliation: points are compared in all their digits', () => {
  const points = fc.bigInt({ min: POINTS_MAX - 3n, max: POINTS_MAX });
  fc.assert(
    fc.property(points, points, (one, other) => {
      const found = reconcileLine({
        ...pair,
        listed: { ...listed, points: one },
        recorded: { ...recorded, points: other, netPoints: [] },
      }).verdict;
      assert.equal(found, one === other ? 'matched' : 'points_mismatch');
    }),
  );
});

test('settlements, section 2, Reconciliation: the seven verdicts of the page', () => {
  assert.equal(
    RECONCILIATION_VERDICTS.join(', '),
    'matched, missing_in_service, missing_in_partner_file, points_mismatch, order_ref_mismatch, duplicate_in_file, other_settlement',
  );
});
