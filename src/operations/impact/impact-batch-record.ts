import { createHash } from 'node:crypto';
import type { Evidence } from '../../domain/impact/evidence.ts';
import type { BatchShare, ImpactBatch, ImpactBatchView } from '../../domain/impact/impact-batch.ts';
import { recordNotFound } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { findImpactBatch, type ImpactBatchChange, listImpactBatchChanges } from '../../store/impact/impact-batch.ts';
import { type BatchSettlement, eachBatchSettlement } from '../../store/impact/impact-batch-settlement.ts';
import { listEvidence } from '../../store/impact/impact-evidence.ts';
import { findProject } from '../../store/impact/project.ts';
import { exactJson } from '../../wire/exact-json.ts';
import type { SettlementsOfPartner } from './insert-poolable.ts';

/** The settlements of a batch, added up in one pass. */
export interface PooledSettlements {
  /** In the order of the partners' ids. */
  readonly shares: readonly BatchShare[];
  readonly settlementCount: number;
  readonly contributionCount: bigint;
  /** A digest of the ids of all settlements. */
  readonly sha256: string;
}

export async function addUpSettlements(db: Queryable, impactBatchId: string): Promise<PooledSettlements> {
  const sum = new Sum();
  for await (const settlement of eachBatchSettlement(db, impactBatchId)) sum.add(settlement);
  return sum.end();
}

/**
 * Adds up the settlements in one pass, without and with those that this transaction added.
 *
 * @param added By partner, once each.
 */
export async function addUpBeforeAndAfter(
  db: Queryable,
  impactBatchId: string,
  added: readonly SettlementsOfPartner[],
): Promise<{ readonly before: PooledSettlements; readonly after: PooledSettlements }> {
  const addedOf = new Map(added.map(({ partnerId, settlementIds }) => [partnerId, new Set(settlementIds)]));
  const [before, after] = [new Sum(), new Sum()];
  for await (const settlement of eachBatchSettlement(db, impactBatchId)) {
    if (!addedOf.get(settlement.partnerId)?.has(settlement.settlementId)) before.add(settlement);
    after.add(settlement);
  }
  return { before: before.end(), after: after.end() };
}

class Sum {
  readonly #shares = new Map<string, BatchShare>();
  readonly #hash = createHash('sha256');
  #settlementCount = 0;
  #contributionCount = 0n;

  /** In the order of their partners and ids. */
  add({ partnerId, settlementId, contributionCount }: BatchSettlement): void {
    const share = this.#shares.get(partnerId) ?? { partnerId, settlementCount: 0, contributionCount: 0n };
    this.#shares.set(partnerId, {
      partnerId,
      settlementCount: share.settlementCount + 1,
      contributionCount: share.contributionCount + contributionCount,
    });
    this.#settlementCount++;
    this.#contributionCount += contributionCount;
    this.#hash.update(`${partnerId} ${settlementId} ${contributionCount}\n`);
  }

  end(): PooledSettlements {
    return {
      shares: [...this.#shares.values()],
      settlementCount: this.#settlementCount,
      contributionCount: this.#contributionCount,
      sha256: this.#hash.digest('hex'),
    };
  }
}

/** The batch as an audit entry records it: the comparison finds a row that was changed outside the service. */
export async function impactBatchRecord(
  db: Queryable,
  batch: ImpactBatch,
  pooled?: PooledSettlements,
): Promise<Record<string, unknown>> {
  const { settlementCount, contributionCount, sha256 } = pooled ?? (await addUpSettlements(db, batch.impactBatchId));
  const evidence = await listEvidence(db, batch.impactBatchId);
  const changes = await listImpactBatchChanges(db, batch.impactBatchId);
  return {
    name: batch.name,
    status: batch.status,
    change_no: batch.changeNo,
    project_id: batch.projectId,
    quantity: batch.quantity,
    delayed_at: batch.delayedAt,
    expected_delivery_period: batch.expectedDeliveryPeriod,
    delivered_by: batch.deliveredBy,
    verified_by: batch.verifiedBy,
    created_at: batch.createdAt,
    status_at: batch.statusAt,
    settlements: { count: settlementCount, contributions: contributionCount, sha256 },
    evidence: evidence.map(evidenceRecord),
    changes: { count: changes.length, sha256: hashChanges(changes) },
  };
}

export function evidenceRecord(evidence: Evidence): object {
  const { evidenceNo, type, url, fileName, byteCount, sha256, capturedAt, addedBy, addedAt } = evidence;
  return {
    evidence_no: evidenceNo,
    type,
    url,
    file_name: fileName,
    byte_count: byteCount,
    sha256,
    captured_at: capturedAt,
    added_by: addedBy,
    added_at: addedAt,
  };
}

function hashChanges(changes: readonly ImpactBatchChange[]): string {
  return createHash('sha256').update(exactJson(changes)).digest('hex');
}

/** The batch with its project and its evidence. */
export async function getImpactBatchView(db: Queryable, batch: ImpactBatch): Promise<ImpactBatchView> {
  const project = batch.projectId === null ? undefined : await findProject(db, batch.projectId);
  return { batch, project: project ?? null, evidence: await listEvidence(db, batch.impactBatchId) };
}

/** @throws ServiceError `invalid_request` when there is none. */
export async function getImpactBatch(db: Queryable, impactBatchId: string): Promise<ImpactBatch> {
  return (await findImpactBatch(db, impactBatchId)) ?? refuseUnknownBatch(impactBatchId);
}

export function refuseUnknownBatch(impactBatchId: string): never {
  throw recordNotFound('impact_batch_id', `There is no impact batch ${impactBatchId}. \`impact-batch list\` shows all.`);
}
