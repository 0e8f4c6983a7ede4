import type { NamedKey } from '../audit/named-key.ts';
import { openRecordSeals, type RecordSeal, type SealPart, type SealVerdict } from '../audit/record-seal.ts';
import type { Contribution } from './contribution.ts';

/** Everything of a contribution that its seal covers, except its times. */
export interface SealableContribution {
  readonly partnerId: string;
  readonly contribution: Omit<Contribution, 'createdAt' | 'confirmedAt' | 'failedAt'>;
  readonly idempotencyKey: string;
  readonly fingerprint: Buffer;
  readonly calculationId: string | null;
  readonly firstStatus: Contribution['status'];
  readonly associationOutcome: string;
  readonly rejectionCode: string | null;
  readonly correlationId: string | null;
  /** Only for a failed contribution. */
  readonly failure?: SealedFailure | undefined;
}

/** How a contribution failed; the two operators only for one that was never confirmed. */
export interface SealedFailure {
  readonly reason: string | null;
  readonly draftedBy: string | null;
  readonly approvedBy: string | null;
}

/** A stored contribution, with the times and the seal of its row. */
export interface SealedContribution extends SealableContribution, RecordSeal {
  readonly contribution: Contribution;
}

export interface ContributionSeals {
  begin(contribution: SealableContribution): SealPart;
  check(contribution: SealedContribution): SealVerdict;
}

/** Seals of contributions, under keys that are not in the database. */
export function openContributionSeals(listKeys: () => readonly NamedKey[]): ContributionSeals {
  const seals = openRecordSeals('contributions', listKeys);
  return {
    begin: (contribution) => seals.begin(sealedText(contribution)),
    check(sealed) {
      const { createdAt, confirmedAt, failedAt } = sealed.contribution;
      return seals.check(sealedText(sealed), [createdAt, confirmedAt, failedAt], sealed);
    },
  };
}

/** An array of texts has one JSON spelling. The reason is text that an operator typed; the database stores well-formed text only. */
function sealedText(sealed: SealableContribution): string {
  const { contribution, failure } = sealed;
  return JSON.stringify([
    sealed.partnerId,
    contribution.transactionId,
    sealed.idempotencyKey,
    sealed.fingerprint.toString('base64'),
    contribution.partnerEventId,
    contribution.partnerOrderRef,
    String(contribution.points),
    contribution.opaqueCustomerRef,
    contribution.status,
    sealed.firstStatus,
    contribution.contributionRuleVersion,
    contribution.pointConversionVersion,
    contribution.treeCostVersion,
    contribution.expectedEnvironmentalSupport.summaryEn,
    contribution.expectedEnvironmentalSupport.summaryAr,
    sealed.calculationId,
    sealed.associationOutcome,
    sealed.rejectionCode,
    sealed.correlationId,
    failure?.reason?.toWellFormed() ?? null,
    failure?.draftedBy ?? null,
    failure?.approvedBy ?? null,
  ]);
}
