/** @see docs/spec/interface.md#states-and-transitions, Contribution status. */
export const CONTRIBUTION_STATUSES = ['confirmed', 'pending', 'failed'] as const;

export type ContributionStatus = (typeof CONTRIBUTION_STATUSES)[number];

/**
 * The possible next statuses. `none` is an event that the service has not stored. Only the record of two operators leads from `none` to
 * `failed`. A trigger of the database refuses every other step.
 */
export const CONTRIBUTION_TRANSITIONS = {
  none: ['confirmed', 'pending', 'failed'],
  pending: ['confirmed', 'failed'],
  confirmed: [],
  failed: [],
} as const satisfies Record<'none' | ContributionStatus, readonly ContributionStatus[]>;

/**
 * The field `non_refundable`. Only `failed` allows points to be restored, so a pending contribution,
 * which might still be confirmed, shows `true` as well.
 *
 * @see docs/spec/interface.md#states-and-transitions, rule 1: a pending result does not authorize point restoration.
 */
export function nonRefundable(status: ContributionStatus): boolean {
  return status !== 'failed';
}
