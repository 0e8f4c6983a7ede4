import { environmentalSummary } from '../domain/customer-texts.ts';
import type { EnvironmentalChangeType, EnvironmentalStatus } from '../domain/impact/environmental-status.ts';
import type { Evidence } from '../domain/impact/evidence.ts';
import type { ImpactBatchView } from '../domain/impact/impact-batch.ts';
import type { Project } from '../domain/impact/project.ts';
import type { BatchTransaction, PooledContribution } from '../store/impact/impact-batch-settlement.ts';
import { exactJson } from './exact-json.ts';

/** The data of one change of a batch for one partner. */
export interface BatchNews {
  readonly changeType: EnvironmentalChangeType;
  /** `null` when the contributions had no status before. */
  readonly previousStatus: EnvironmentalStatus | null;
  /** How many contributions of this partner the change affects. */
  readonly contributionCount: bigint;
  readonly occurredAt: Date;
}

/** The member `data` of `environmental.status.updated`. @see docs/spec/settlements.md#4-environmental-status. */
function batchNewsToData(shown: ImpactBatchView, news: BatchNews) {
  const { impactBatchId, status } = shown.batch;
  return {
    impact_batch_id: impactBatchId,
    status,
    previous_status: news.previousStatus,
    change_type: news.changeType,
    quantity: quantityToWire(shown.batch.quantity),
    project: projectToWire(shown.project),
    evidence: shown.evidence.map(evidenceToWire),
    affected_transaction_count: news.contributionCount,
    transactions_path: `/v1/impact-batches/${impactBatchId}/transactions`,
    ...summaryToWire(status, shown.batch.quantity),
    contribution_status: 'confirmed',
    occurred_at: news.occurredAt.toISOString(),
  };
}

/**
 * The member `data` of each partner's event, as JSON: what is the same for all partners is written once.
 *
 * @returns The text for a partner with so many contributions in the batch.
 */
export function batchNewsTexts(
  shown: ImpactBatchView,
  news: Omit<BatchNews, 'contributionCount'>,
): (contributionCount: bigint) => string {
  const member = '"affected_transaction_count":';
  // Within a text of the batch the quotation marks would be escaped.
  const [before, after] = exactJson(batchNewsToData(shown, { ...news, contributionCount: 0n })).split(`${member}0,`);
  return (contributionCount) => `${before}${member}${contributionCount},${after}`;
}

/** A batch on the paths of partners. */
export function impactBatchToWire(shown: ImpactBatchView, contributionCount: bigint) {
  const { batch } = shown;
  return {
    impact_batch_id: batch.impactBatchId,
    ...progressToWire(shown),
    ...summaryToWire(batch.status, batch.quantity),
    transaction_count: contributionCount,
  };
}

/** The environmental status of a contribution: `recorded` before it is in a batch, no status unless it is confirmed. */
export function environmentalStatusToWire(contribution: PooledContribution, shown: ImpactBatchView | null) {
  const { transactionId, status, confirmedAt, settlementId } = contribution;
  const recordedAt = confirmedAt?.toISOString() ?? null;
  const head = { transaction_id: transactionId, contribution_status: status, settlement_id: settlementId };
  if (shown) {
    const { batch } = shown;
    const summary = summaryToWire(batch.status, batch.quantity);
    const shared = { impact_batch_id: batch.impactBatchId, ...progressToWire(shown), ...summary };
    // The batch may have been created before the contribution.
    return batch.status === 'recorded' ? { ...head, ...shared, status_at: recordedAt } : { ...head, ...shared };
  }
  const isRecorded = status === 'confirmed';
  return {
    ...head,
    impact_batch_id: null,
    status: isRecorded ? 'recorded' : null,
    status_at: isRecorded ? recordedAt : null,
    quantity: null,
    project: null,
    evidence: [],
    delayed_at: null,
    expected_delivery_period: null,
    ...(isRecorded ? summaryToWire('recorded', undefined) : { summary_en: null, summary_ar: null }),
  };
}

export function batchTransactionToWire(transaction: BatchTransaction) {
  return {
    transaction_id: transaction.transactionId,
    partner_event_id: transaction.partnerEventId,
    partner_order_ref: transaction.partnerOrderRef,
    points: transaction.points,
    confirmed_at: transaction.confirmedAt.toISOString(),
    settlement_id: transaction.settlementId,
  };
}

function progressToWire({ batch, project, evidence }: ImpactBatchView) {
  return {
    status: batch.status,
    status_at: batch.statusAt.toISOString(),
    quantity: quantityToWire(batch.quantity),
    project: projectToWire(project),
    evidence: evidence.map(evidenceToWire),
    delayed_at: batch.delayedAt?.toISOString() ?? null,
    expected_delivery_period: batch.expectedDeliveryPeriod,
  };
}

function quantityToWire(value: bigint) {
  return { value, unit: 'tree' };
}

function projectToWire(project: Project | null) {
  if (!project) return null;
  const { projectId, nameEn, nameAr, country } = project;
  return { project_id: projectId, name_en: nameEn, name_ar: nameAr, country };
}

function evidenceToWire({ type, url, sha256, capturedAt }: Evidence) {
  return { type, url, sha256, captured_at: capturedAt.toISOString() };
}

function summaryToWire(status: EnvironmentalStatus, trees: bigint | undefined) {
  const { summaryEn, summaryAr } = environmentalSummary(status, trees);
  return { summary_en: summaryEn, summary_ar: summaryAr };
}
