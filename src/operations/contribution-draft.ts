import type { RejectionCode } from '../domain/association.ts';
import { type ContributionRules, firstStatus, NOTHING_COUNTED } from '../domain/contribution-rules.ts';
import { expectedSupport } from '../domain/expected-support.ts';
import type { ContributionDraft, ContributionRecord } from '../store/contribution.ts';
import type { EstimateRecord } from '../store/estimate.ts';
import { arrivalOf, linkSnapshot, refuseLink } from './linking.ts';

export interface ConfirmationRequest {
  readonly partnerId: string;
  /** New records of a suspended partner are refused; what is stored already replays. */
  readonly isSuspended: boolean;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly opaqueCustomerRef: string | null;
  /** `undefined` when none was asked for, `null` when what was asked for is ill formed. */
  readonly calculationId: string | null | undefined;
  readonly correlationId: string;
  /** `performance.now()` at the request's arrival: an estimate's expiry is judged by it. */
  readonly arrivedAtMs: number;
}

/** The id is chosen before the first attempt, so that whatever happens the record is known again. */
export interface Confirmation extends ConfirmationRequest {
  readonly transactionId: string;
  readonly rules: ContributionRules;
}

/** Neither part may hold a space. */
export function estimateKey(partnerId: string, calculationId: string): string {
  return `${partnerId} ${calculationId}`;
}

/** A confirmation whose estimate an earlier one of the batch takes is left out, to be judged when that one is settled. */
export function draftContributions(
  confirmations: readonly Confirmation[],
  estimates: ReadonlyMap<string, EstimateRecord>,
  begunAtMs: number,
): (ContributionDraft | undefined)[] {
  const taken = new Set<string>();
  return confirmations.map((confirmation) => {
    const key = estimateKey(confirmation.partnerId, confirmation.calculationId ?? '');
    if (taken.has(key)) return undefined;
    const draft = draftContribution(confirmation, estimates.get(key), begunAtMs);
    if (draft.link) taken.add(key);
    return draft;
  });
}

function draftContribution(
  confirmation: Confirmation,
  estimate: EstimateRecord | undefined,
  begunAtMs: number,
): ContributionDraft {
  const { partnerId, idempotencyKey, fingerprint, calculationId, transactionId, partnerOrderRef, rules } = confirmation;
  const status = firstStatus(confirmation.points, rules, NOTHING_COUNTED);
  const judgedAt = arrivalOf(estimate, begunAtMs - confirmation.arrivedAtMs);
  const refusal =
    calculationId === undefined ? undefined : refuseLink({ status, partnerOrderRef }, false, { estimate, judgedAt })?.code;
  const isLinked = calculationId !== undefined && refusal === undefined;
  return {
    partnerId,
    idempotencyKey,
    fingerprint,
    contribution: {
      transactionId,
      partnerEventId: confirmation.partnerEventId,
      partnerOrderRef,
      status,
      points: confirmation.points,
      opaqueCustomerRef: confirmation.opaqueCustomerRef,
      contributionRuleVersion: rules.contributionRuleVersion,
      pointConversionVersion: rules.pointConversionVersion,
      treeCostVersion: rules.treeCostVersion,
      expectedEnvironmentalSupport: expectedSupport(confirmation.points, rules),
    },
    calculationId: calculationId ?? null,
    associationOutcome: isLinked ? 'associated' : refusal ? 'rejected' : 'not_requested',
    rejectionCode: (refusal as RejectionCode | undefined) ?? null,
    correlationId: confirmation.correlationId,
    link: isLinked && estimate ? linkSnapshot(transactionId, estimate.estimate) : null,
  };
}

/** What the draft has become, with the time that the database gave it. */
export function recordOf(draft: ContributionDraft, createdAt: Date): ContributionRecord {
  const { status } = draft.contribution;
  return {
    ...draft,
    firstStatus: status === 'pending' ? 'pending' : 'confirmed',
    contribution: { ...draft.contribution, createdAt, confirmedAt: status === 'confirmed' ? createdAt : null, failedAt: null },
    link: draft.link && { ...draft.link, associatedAt: createdAt },
  };
}
