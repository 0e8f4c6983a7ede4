import type { ContributionStatus } from '../contributions/contribution-status.ts';
import { isLongIdentifier } from '../identifiers.ts';
import { isExpired } from './estimate.ts';

/**
 * Why an association is refused, with one sentence for the partner that names the next step. Used for the error of an association call
 * and for the rejection in a confirmation.
 */
export const ASSOCIATION_REFUSALS = {
  contribution_final_failure:
    'The contribution has failed permanently, so no estimate can be associated with it; the details say what to do next.',
  contribution_pending:
    'The contribution is still pending; wait until it is confirmed, look it up, and associate the estimate if it has no link.',
  estimate_not_found:
    'There is no estimate with this calculation_id; check the calculation_id, or create a new estimate and associate that one.',
  association_conflict:
    'The contribution or the estimate already has a link, and links are immutable; look up the contribution, and if it has none, associate a new estimate.',
  estimate_expired: 'The estimate was not associated in time and has expired; create a new estimate and associate that one.',
  calculation_mismatch:
    "The estimate's partner_order_ref is not the contribution's; associate an estimate that was made for the same order.",
} as const;

export type AssociationRefusalCode = keyof typeof ASSOCIATION_REFUSALS;

/** A failed contribution is answered with its own error, never with a rejection. */
export type RejectionCode = Exclude<AssociationRefusalCode, 'contribution_final_failure'>;

export interface AssociationRefusal {
  code: AssociationRefusalCode;
  message: string;
}

export interface Rejection {
  code: RejectionCode;
  message: string;
  /** The `calculation_id` as sent, only when it is well formed. */
  calculationId: string | null;
}

/** The facts that the decision uses. */
export interface AssociationFacts {
  contributionStatus: ContributionStatus;
  contributionOrderRef: string;
  contributionHasLink: boolean;
  /** `undefined` when the partner has no such estimate, or the identifier is ill formed. */
  estimate: { partnerOrderRef: string; expiresAt: Date; hasLink: boolean } | undefined;
  /** The time by which expiry is decided. */
  decidedAt: Date;
}

/**
 * The first reason against linking an estimate with a contribution, or `undefined` when there is none. A linked estimate no longer
 * expires, so the link is checked before the expiry.
 *
 * @see docs/spec/interface.md#associateemissionsestimate; the order is that of docs/spec/decisions.md#2-fields.
 */
export function checkAssociation(facts: AssociationFacts): AssociationRefusal | undefined {
  const code = firstObstacle(facts);
  return code && { code, message: ASSOCIATION_REFUSALS[code] };
}

/** The rejection of the `calculation_id` of a confirmation; the contribution itself is not affected. */
export function rejectionOf(code: RejectionCode, calculationId: unknown): Rejection {
  return { code, message: ASSOCIATION_REFUSALS[code], calculationId: isLongIdentifier(calculationId) ? calculationId : null };
}

function firstObstacle(facts: AssociationFacts): AssociationRefusalCode | undefined {
  const { contributionStatus, contributionOrderRef, contributionHasLink, estimate, decidedAt } = facts;
  if (contributionStatus === 'failed') return 'contribution_final_failure';
  if (contributionStatus === 'pending') return 'contribution_pending';
  if (!estimate) return 'estimate_not_found';
  if (contributionHasLink || estimate.hasLink) return 'association_conflict';
  if (isExpired(estimate, decidedAt)) return 'estimate_expired';
  if (estimate.partnerOrderRef !== contributionOrderRef) return 'calculation_mismatch';
  return undefined;
}
