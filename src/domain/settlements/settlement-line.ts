import type { Association } from '../emissions/association.ts';

/**
 * The record of a settlement line.
 *
 * @see docs/spec/settlements.md#2-settlement.
 */
export const LINE_TYPES = ['contribution', 'adjustment', 'carried_forward'] as const;

export type LineType = (typeof LINE_TYPES)[number];

/**
 * One line of a closed settlement, which never changes. Fields that do not apply to its type are `null`: a line that carries a negative
 * net forward belongs to no contribution.
 *
 * @see docs/spec/settlements.md#2-settlement, "Assignment at close" and "Statement".
 */
export interface SettlementLine {
  /** From 1, without gaps. */
  readonly lineNo: number;
  readonly lineType: LineType;
  readonly transactionId: string | null;
  readonly adjustmentId: string | null;
  readonly partnerEventId: string | null;
  readonly partnerOrderRef: string | null;
  /** Negative when an adjustment takes points back. A carried-forward line is a sum, and may be below int64. */
  readonly points: bigint;
  /** Exact, in 10^-12 of the currency's unit; `null` when the points have no value. */
  readonly amount: bigint | null;
  /** `null` exactly when `amount` is. */
  readonly currency: string | null;
  readonly confirmedAt: Date | null;
  readonly postedAt: Date | null;
  readonly contributionRuleVersion: string | null;
  readonly pointConversionVersion: string | null;
  readonly treeCostVersion: string | null;
  /** The linked estimate; `null` without one. */
  readonly calculationId: string | null;
  /** At the time of closing. */
  readonly associationStatus: Association['status'] | null;
  /** An adjustment's reason; `late` for a contribution that missed the settlement of its own period. */
  readonly reasonCode: string | null;
  /** The settlement of an adjustment's contribution, or the settlement from which a negative net is carried. */
  readonly originalSettlementId: string | null;
}

/** The reason on a contribution's line that missed the settlement of its own period. */
export const LATE = 'late';
