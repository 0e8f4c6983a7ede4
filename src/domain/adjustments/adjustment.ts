import { amountOf } from '../numbers/money.ts';

/** @see docs/spec/settlements.md#3-adjustment. */
export const ADJUSTMENT_STATUSES = ['draft', 'approved', 'posted', 'rejected'] as const;

export type AdjustmentStatus = (typeof ADJUSTMENT_STATUSES)[number];

/**
 * The possible next statuses of an adjustment. Before it is posted it can be rejected; a posted adjustment is only undone by another
 * adjustment.
 */
export const ADJUSTMENT_TRANSITIONS = {
  none: ['draft'],
  draft: ['approved', 'rejected'],
  approved: ['posted', 'rejected'],
  posted: [],
  rejected: [],
} as const satisfies Record<'none' | AdjustmentStatus, readonly AdjustmentStatus[]>;

export function adjustmentMayBecome(from: 'none' | AdjustmentStatus, to: AdjustmentStatus): boolean {
  return (ADJUSTMENT_TRANSITIONS[from] as readonly AdjustmentStatus[]).includes(to);
}

/** @see docs/spec/settlements.md#3-adjustment, field reason_code. */
export const ADJUSTMENT_REASONS = [
  'duplicate_report',
  'partner_reporting_error',
  'operator_error',
  'conversion_restatement',
  'tree_cost_restatement',
  'compliance',
  'other',
] as const;

export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

/**
 * Whether an adjustment for this reason changes the amount and not the points. Every other reason changes points, and the amount follows.
 */
export function isRestatement(reason: AdjustmentReason): boolean {
  return reason === 'conversion_restatement' || reason === 'tree_cost_restatement';
}

/**
 * The exact amount of an adjustment's line. A restatement states it; otherwise it is the points times the value at which the contribution
 * was settled.
 *
 * @param pointValue Of the contribution's `point_conversion_version`; `null` when it has none.
 * @returns In 10^-12 of the currency's unit; `null` when the points have no value.
 */
export function adjustmentAmount(
  { pointsDelta, amountDelta }: { pointsDelta: bigint; amountDelta: bigint | null },
  pointValue: bigint | null,
): bigint | null {
  if (amountDelta !== null) return amountDelta;
  return pointValue === null ? null : amountOf(pointsDelta, pointValue);
}
