import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADJUSTMENT_REASONS, ADJUSTMENT_STATUSES, adjustmentAmount, adjustmentMayBecome, isRestatement } from './adjustment.ts';

test('settlements, section 3: draft, approved, posted; or rejected until it is posted', () => {
  const steps = (['none', ...ADJUSTMENT_STATUSES] as const).flatMap((from) =>
    ADJUSTMENT_STATUSES.filter((to) => adjustmentMayBecome(from, to)).map((to) => `${from} ${to}`),
  );
  assert.deepEqual(steps, ['none draft', 'draft approved', 'draft rejected', 'approved posted', 'approved rejected']);
});

test('settlements, section 3, amount_delta: restatements state it, and any other follows from the points', () => {
  assert.deepEqual(ADJUSTMENT_REASONS.filter(isRestatement), ['conversion_restatement', 'tree_cost_restatement']);
  assert.equal(adjustmentAmount({ pointsDelta: -250n, amountDelta: null }, 50_000_000_000n), -12_500_000_000_000n);
  assert.equal(adjustmentAmount({ pointsDelta: 0n, amountDelta: -7n }, 50_000_000_000n), -7n);
  assert.equal(adjustmentAmount({ pointsDelta: -250n, amountDelta: null }, null), null);
});
