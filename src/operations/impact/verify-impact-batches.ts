import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import { listImpactBatches, lockImpactBatch } from '../../store/impact/impact-batch.ts';
import { findProject, listProjects } from '../../store/impact/project.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { type AuditDifference, compareWithAudit, eachAuditedSubject } from '../audit/compare-with-audit.ts';
import { impactBatchRecord } from './impact-batch-record.ts';
import { projectRecord } from './manage-project.ts';

export interface BatchesVerdict {
  readonly batches: number;
  readonly projects: number;
  /** How projects and batches differ from the audit, the projects first. */
  readonly problems: readonly AuditDifference[];
}

const BATCHES_AT_ONCE = 500;

/**
 * Compares every project and every batch, with its settlements, evidence and history, with its last audit entry. The audit chain verifies
 * the entries themselves.
 *
 * @param onProgress Called with the number of compared batches.
 */
export async function verifyImpactBatches(
  database: Database,
  onProgress: (compared: number) => void = () => {},
): Promise<BatchesVerdict> {
  const { pool } = database;
  const keys = database.auditKeys();
  const problems: (AuditDifference | undefined)[] = [];
  const projectIds = await withAudited(
    pool,
    'project_',
    (await listProjects(pool)).map(({ projectId }) => projectId),
  );
  for (const projectId of projectIds) {
    const project = await findProject(pool, projectId);
    problems.push(await compareWithAudit(pool, keys, { subjectId: projectId, record: project && projectRecord(project) }));
  }
  const batchIds = await withAudited(pool, 'batch_', await listBatchIds(pool));
  let compared = 0;
  for (const impactBatchId of batchIds) {
    problems.push(await compareBatch(database, impactBatchId));
    if (++compared % BATCHES_AT_ONCE === 0) onProgress(compared);
  }
  return { batches: batchIds.length, projects: projectIds.length, problems: problems.filter((each) => each !== undefined) };
}

/** The lock prevents changes between reading the rows and reading the last entry. */
async function compareBatch(database: Database, impactBatchId: string): Promise<AuditDifference | undefined> {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const batch = await lockImpactBatch(db, impactBatchId);
    const record = batch && (await impactBatchRecord(db, batch));
    return compareWithAudit(db, database.auditKeys(), { subjectId: impactBatchId, record });
  });
}

/** The existing records, and those that only the audit has. */
async function withAudited(db: Queryable, prefix: string, present: readonly string[]): Promise<string[]> {
  return [...new Set([...present, ...(await Array.fromAsync(eachAuditedSubject(db, prefix)))])].sort();
}

async function listBatchIds(db: Queryable): Promise<string[]> {
  const batches = eachRow<ImpactBatch>(BATCHES_AT_ONCE, (last, limit) =>
    listImpactBatches(db, { ...(last && { beforeId: last.impactBatchId }), limit }),
  );
  return (await Array.fromAsync(batches)).map(({ impactBatchId }) => impactBatchId);
}
