import type { SealPart } from '../../domain/audit/record-seal.ts';
import type { Contribution } from '../../domain/contributions/contribution.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { ContributionRecord } from './contribution.ts';
import { ABSENT, sealOf } from './contribution-seal.ts';

/** A failure that two operators record. Its key is none that a partner can send. */
export interface FailedContribution
  extends Pick<ContributionRecord, 'partnerId' | 'idempotencyKey' | 'fingerprint' | 'correlationId'> {
  readonly contribution: Omit<Contribution, 'status' | 'opaqueCustomerRef' | 'createdAt' | 'confirmedAt' | 'failedAt'>;
  readonly failureReason: string;
  readonly draftedBy: string;
  readonly approvedBy: string;
  readonly seal: SealPart;
}

const INSERT_FAILED: Statement = {
  name: 'insert_contribution_failed',
  text: `insert into contribution (partner_id, transaction_id, idempotency_key, fingerprint, partner_event_id, partner_order_ref, points,
      status, first_status, contribution_rule_version, point_conversion_version, tree_cost_version, summary_en, summary_ar,
      association_outcome, correlation_id, failure_reason, failure_drafted_by, failure_approved_by, created_at, failed_at, seal_key, seal)
    values ($1, $2, $3, $4, $5, $6, $7, 'failed', 'failed', $8, $9, $10, $11, $12, 'not_requested', $13, $14, $15, $16, ${NOW}, ${NOW}, $17, ${sealOf('$18::text', [NOW, ABSENT, NOW])})`,
};

/**
 * The database refuses it unless two different operators are named.
 *
 * @throws pg.DatabaseError 23505 on `contribution_partner_event` when the event is stored already, in any status.
 */
export async function insertFailedContribution(db: Queryable, failed: FailedContribution): Promise<void> {
  const { contribution } = failed;
  await run(db, INSERT_FAILED, [
    failed.partnerId,
    contribution.transactionId,
    failed.idempotencyKey,
    failed.fingerprint,
    contribution.partnerEventId,
    contribution.partnerOrderRef,
    contribution.points,
    contribution.contributionRuleVersion,
    contribution.pointConversionVersion,
    contribution.treeCostVersion,
    contribution.expectedEnvironmentalSupport.summaryEn,
    contribution.expectedEnvironmentalSupport.summaryAr,
    failed.correlationId,
    failed.failureReason,
    failed.draftedBy,
    failed.approvedBy,
    failed.seal.keyId,
    failed.seal.mac,
  ]);
}
