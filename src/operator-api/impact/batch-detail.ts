import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import { addUpSettlements, getImpactBatchView } from '../../operations/impact/impact-batch-record.ts';
import { readPooledWorth } from '../../operations/impact/read-pooled-worth.ts';
import type { Queryable } from '../../store/database.ts';
import { listImpactBatchChanges } from '../../store/impact/impact-batch.ts';
import { batchToWire, changeToWire, evidenceToWire, projectToWire, worthsToWire } from './impact-schemas.ts';

/** A batch with what it pools, its evidence and its history. */
export async function describeBatch(db: Queryable, batch: ImpactBatch) {
  const { project, evidence } = await getImpactBatchView(db, batch);
  const pooled = await addUpSettlements(db, batch.impactBatchId);
  return {
    batch: batchToWire(batch),
    project: project && projectToWire(project),
    partner_count: pooled.shares.length,
    settlement_count: pooled.settlementCount,
    contribution_count: pooled.contributionCount,
    worth: worthsToWire(await readPooledWorth(db, batch.impactBatchId)),
    evidence: evidence.map(evidenceToWire),
    changes: (await listImpactBatchChanges(db, batch.impactBatchId)).map(changeToWire),
  };
}
