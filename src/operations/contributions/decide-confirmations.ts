import type { PartnerStanding } from '../../domain/access/partner-standing.ts';
import type { ContributionSeals } from '../../domain/contributions/contribution-seal.ts';
import { expectedSupport } from '../../domain/contributions/expected-support.ts';
import type { RejectionCode } from '../../domain/emissions/association-refusals.ts';
import {
  type ContributionRules,
  type DailyCount,
  NOTHING_COUNTED,
  type ReviewReason,
  reviewReason,
} from '../../domain/rules/contribution-rules.ts';
import type { SimulatedReview } from '../../domain/sandbox/scenarios.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { ContributionDraft } from '../../store/contributions/contribution-insert.ts';
import type { EstimateRecord } from '../../store/emissions/estimate.ts';
import { arrivalOf, estimateKey, linkSnapshot, refuseLink } from '../emissions/link-estimate.ts';
import type { GroupedRequest } from '../group-commit.ts';

export interface ConfirmationRequest extends PartnerStanding {
  readonly partnerId: string;
  /** The currency of the partner's settlements; `null` when none is fixed. */
  readonly currency: string | null;
  /** The time zone of the partner's days. */
  readonly timeZone: string;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  readonly points: bigint;
  readonly opaqueCustomerRef: string | null;
  /** `undefined` when the request names no estimate, `null` when its id is malformed. */
  readonly calculationId: string | null | undefined;
  readonly correlationId: string;
  /** `performance.now()` at the request's arrival: it decides the expiry of an estimate and the rules in force. */
  readonly arrivedAtMs: number;
  /** In a sandbox, when the partner requests a pending contribution. */
  readonly simulatedReview?: SimulatedReview | undefined;
}

/** The id is chosen before the first attempt, so that the service recognises its own record. */
export interface Confirmation extends ConfirmationRequest, GroupedRequest {
  readonly transactionId: string;
  readonly rules: ContributionRules;
}

/** A request whose rules may not be known yet; its contribution has an id when they are. */
export type UnruledRequest = Omit<Confirmation, 'rules' | 'transactionId'> & Partial<Pick<Confirmation, 'transactionId'>>;

export interface ConfirmationOutcome {
  readonly record: ContributionRecord;
  /** The record existed before this request. */
  readonly isReplay: boolean;
}

/** The record to insert, and why it begins as pending, if it does. */
export interface DecidedContribution extends ContributionDraft {
  readonly reviewReason: ReviewReason | undefined;
  readonly simulatedReview: SimulatedReview | undefined;
}

/** The further facts by which a batch is decided. */
export interface DecisionFacts {
  readonly estimates: ReadonlyMap<string, EstimateRecord>;
  readonly seals: ContributionSeals;
  /** `performance.now()` just before the transaction began. */
  readonly begunAtMs: number;
  /** With a cap: the count of the day before the batch; each contribution counts for those after it. */
  readonly today?: DailyCount | undefined;
}

/**
 * Decides for each confirmation of a batch its status, its link or the rejection of it, and its support texts.
 * A confirmation is left out when an earlier one of the batch takes its estimate; it is decided after that one.
 */
export function decideConfirmations(
  confirmations: readonly Confirmation[],
  { estimates, begunAtMs, today, seals }: DecisionFacts,
): (DecidedContribution | undefined)[] {
  const taken = new Set<string>();
  let counted = today ?? NOTHING_COUNTED;
  return confirmations.map((confirmation) => {
    const key = estimateKey(confirmation.partnerId, confirmation.calculationId ?? '');
    if (taken.has(key)) return undefined;
    const reason = reasonOf(confirmation, counted);
    const decided = decideConfirmation(confirmation, reason, arrivalAt(estimates.get(key), confirmation, begunAtMs));
    const draft = { ...decided, seal: seals.begin(decided) };
    if (draft.link) taken.add(key);
    if (today) counted = withOneMore(counted, confirmation.points);
    return draft;
  });
}

/** Why the contribution begins as pending, if it does. */
export function reasonOf({ points, rules, simulatedReview }: Confirmation, today: DailyCount): ReviewReason | undefined {
  return simulatedReview ? 'sandbox_scenario' : reviewReason(points, rules, today);
}

/** The day's count after one more contribution. */
export function withOneMore({ points, contributions }: DailyCount, more: bigint): DailyCount {
  return { points: points + more, contributions: contributions + 1n };
}

interface ArrivedEstimate {
  readonly estimate: EstimateRecord | undefined;
  readonly decidedAt: Date;
}

function arrivalAt(estimate: EstimateRecord | undefined, { arrivedAtMs }: Confirmation, begunAtMs: number): ArrivedEstimate {
  return { estimate, decidedAt: arrivalOf(estimate, begunAtMs - arrivedAtMs) };
}

function decideConfirmation(
  confirmation: Confirmation,
  reason: ReviewReason | undefined,
  { estimate, decidedAt }: ArrivedEstimate,
): Omit<DecidedContribution, 'seal'> {
  const { partnerId, idempotencyKey, fingerprint, calculationId, transactionId, partnerOrderRef, rules } = confirmation;
  const status = reason === undefined ? 'confirmed' : 'pending';
  const refusal =
    calculationId === undefined ? undefined : refuseLink({ status, partnerOrderRef }, false, { estimate, decidedAt })?.code;
  const isLinked = calculationId !== undefined && refusal === undefined;
  return {
    partnerId,
    idempotencyKey,
    fingerprint,
    firstStatus: status,
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
    reviewReason: reason,
    simulatedReview: confirmation.simulatedReview,
  };
}

/** The stored record of the draft, with the database's time. */
export function recordOf(draft: ContributionDraft, createdAt: Date): ContributionRecord {
  const { status } = draft.contribution;
  return {
    ...draft,
    contribution: { ...draft.contribution, createdAt, confirmedAt: status === 'confirmed' ? createdAt : null, failedAt: null },
    link: draft.link && { ...draft.link, associatedAt: createdAt },
  };
}
