import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { Queryable } from '../../store/database.ts';
import { findImpactBatch, lockImpactBatch } from '../../store/impact/impact-batch.ts';
import type { AttestedKind } from '../audit/audited-kinds.ts';
import { requireAudited } from '../audit/require-audited.ts';
import { impactBatchRecord } from './impact-batch-record.ts';

/** A batch in the form of the audit. */
interface RecordedBatch {
  readonly impactBatchId: string;
  readonly record: object;
}

export const IMPACT_BATCH: AttestedKind<RecordedBatch> = {
  name: 'impact_batch',
  action: 'impact-batch',
  idOf: ({ impactBatchId }) => impactBatchId,
  partnerIdOf: () => null,
  recordOf: ({ record }) => record,
  find: async (db, impactBatchId) => withRecord(db, await findImpactBatch(db, impactBatchId)),
  lock: async (db, { impactBatchId }) => withRecord(db, await lockImpactBatch(db, impactBatchId)),
};

async function withRecord(db: Queryable, batch: ImpactBatch | undefined): Promise<RecordedBatch | undefined> {
  return batch && { impactBatchId: batch.impactBatchId, record: await impactBatchRecord(db, batch) };
}

/**
 * Call this before a change writes an entry about the batch: that would confirm an edit.
 *
 * @param db The transaction that locks the batch.
 * @throws UnverifiedRecordError
 */
export async function requireAuditedBatch(db: Queryable, { impactBatchId }: ImpactBatch, record: object): Promise<void> {
  await requireAudited(db, IMPACT_BATCH, { impactBatchId, record });
}
