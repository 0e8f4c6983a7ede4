import type { Contribution } from '../../domain/contributions/contribution.ts';
import type { EmissionsLink } from '../../domain/emissions/association.ts';
import { type AssociationRefusal, checkAssociation } from '../../domain/emissions/association-refusals.ts';
import type { Estimate } from '../../domain/emissions/estimate.ts';
import { newId } from '../../domain/identifiers.ts';
import type { EstimateRecord } from '../../store/emissions/estimate.ts';

/** Distinguishes the estimates of a batch of requests. Neither part contains a space. */
export function estimateKey(partnerId: string, calculationId: string): string {
  return `${partnerId} ${calculationId}`;
}

/** Why the estimate cannot be linked with the contribution, at a time of the database's clock. */
export function refuseLink(
  contribution: Pick<Contribution, 'status' | 'partnerOrderRef'>,
  contributionHasLink: boolean,
  { estimate, decidedAt }: { estimate: EstimateRecord | undefined; decidedAt: Date },
): AssociationRefusal | undefined {
  return checkAssociation({
    contributionStatus: contribution.status,
    contributionOrderRef: contribution.partnerOrderRef,
    contributionHasLink,
    estimate: estimate && { ...estimate.estimate, expiresAt: estimate.endsAt, hasLink: estimate.link !== null },
    decidedAt,
  });
}

/**
 * The time that a request waited in the service does not count for the expiry of its estimate. The database's clock is read in whole
 * milliseconds: rounded down once more, a request would arrive before an estimate that ended in its own millisecond.
 */
export function arrivalOf(estimate: EstimateRecord | undefined, waitedMs: number): Date {
  return new Date(Math.ceil((estimate?.readAt.getTime() ?? 0) - waitedMs));
}

/**
 * The fields of the estimate that a link stores.
 *
 * @see docs/spec/interface.md#emissions-link-object-associationlink: authoritative after association.
 */
export function linkSnapshot(transactionId: string, estimate: Estimate): Omit<EmissionsLink, 'associatedAt'> {
  return {
    associationId: newId('assoc'),
    transactionId,
    calculationId: estimate.calculationId,
    partnerOrderRef: estimate.partnerOrderRef,
    estimatedEmissionsKgco2e: estimate.estimatedEmissionsKgco2e,
    distanceKm: estimate.distanceKm,
    vehicleCategory: estimate.vehicleCategory,
    methodologyVersion: estimate.methodologyVersion,
    emissionFactorVersion: estimate.emissionFactorVersion,
    calculatedAt: estimate.calculatedAt,
  };
}
