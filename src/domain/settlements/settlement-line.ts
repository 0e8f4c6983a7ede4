import type { Association } from '../emissions/association.ts';

/** What a line of a settlement stands for. @see docs/spec/settlements.md#2-settlement. */
export const LINE_TYPES = ['contribution', 'adjustment', 'carried_forward'] as const;

export type LineType = (typeof LINE_TYPES)[number];

/**
 * One line of a closed settlement, which never changes. What does not apply to its type is `null`: a line that carries a negative
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
  /** Negative where an adjustment takes points back. What is carried forward is a sum, and may be below int64. */
  readonly points: bigint;
  /** Exact, in 10^-12 of the currency's unit; `null` where the points have no value. */
  readonly amount: bigint | null;
  /** `null` exactly where `amount` is. */
  readonly currency: string | null;
  readonly confirmedAt: Date | null;
  readonly postedAt: Date | null;
  readonly contributionRuleVersion: string | null;
  readonly pointConversionVersion: string | null;
  readonly treeCostVersion: string | null;
  /** Of the linked estimate. */
  readonly calculationId: string | null;
  /** At the moment of closing. */
  readonly associationStatus: Association['status'] | null;
  /** An adjustment's reason; `late` for a contribution that missed the settlement of its own period. */
  readonly reasonCode: string | null;
  /** Where the contribution of an adjustment was settled, or the settlement that a negative net comes from. */
  readonly originalSettlementId: string | null;
}

/** The reason of a contribution's line that missed the settlement of its own period. */
export const LATE = 'late';
