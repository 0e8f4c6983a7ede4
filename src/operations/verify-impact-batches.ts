import { listAuditEntries, listAuditSubjects } from '../store/audit.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { listImpactBatches, lockImpactBatch } from '../store/impact-batch.ts';
import { findProject, listProjects } from '../store/project.ts';
import { exactJson } from '../wire/event-to-text.ts';
import { impactBatchRecord } from './impact-batch-record.ts';
import { projectRecord } from './manage-project.ts';

export interface BatchesVerdict {
  readonly batches: number;
  readonly projects: number;
  readonly problems: readonly BatchProblem[];
}

export interface BatchProblem {
  /** The batch or the project. */
  readonly subjectId: string;
  /** What differs from the audit, such as `status` or `evidence`; `removed` where it is not there at all. */
  readonly fields: readonly string[];
}

const SUBJECTS_AT_ONCE = 500;
const LOCK_TIMEOUT_MS = 4_000;

/**
 * Compares every project and every batch, with its settlements, evidence and history, with the last entry that the audit has of it.
 * The entries themselves are verified by their chain.
 *
 * @param onProgress Told how many were compared.
 */
export async function verifyImpactBatches(
  database: Database,
  onProgress: (compared: number) => void = () => {},
): Promise<BatchesVerdict> {
  const { pool } = database;
  const problems: BatchProblem[] = [];
  const projectIds = await subjectsOf(
    pool,
    'project_',
    (await listProjects(pool)).map(({ projectId }) => projectId),
  );
  for (const projectId of projectIds) {
    const project = await findProject(pool, projectId);
    problems.push(...(await compare(pool, projectId, project && projectRecord(project))));
  }
  const batchIds = await subjectsOf(pool, 'batch_', await listBatchIds(pool));
  let compared = 0;
  for (const impactBatchId of batchIds) {
    problems.push(...(await compareBatch(database, impactBatchId)));
    if (++compared % SUBJECTS_AT_ONCE === 0) onProgress(compared);
  }
  return { batches: batchIds.length, projects: projectIds.length, problems };
}

/** Nobody changes the batch between the reading of its rows and of its last entry. */
async function compareBatch(database: Database, impactBatchId: string): Promise<BatchProblem[]> {
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const batch = await lockImpactBatch(db, impactBatchId);
    return compare(db, impactBatchId, batch && (await impactBatchRecord(db, batch)));
  });
}

/** What there is, and what there was once. */
async function subjectsOf(db: Queryable, prefix: string, present: readonly string[]): Promise<string[]> {
  const ids = new Set(present);
  for (let page: string[] | undefined; page === undefined || page.length === SUBJECTS_AT_ONCE; ) {
    page = await listAuditSubjects(db, { prefix, afterId: page?.at(-1) ?? '', limit: SUBJECTS_AT_ONCE });
    for (const id of page) ids.add(id);
  }
  return [...ids].sort();
}

async function listBatchIds(db: Queryable): Promise<string[]> {
  const ids: string[] = [];
  for (let page: readonly string[] | undefined; page === undefined || page.length === SUBJECTS_AT_ONCE; ) {
    const last = page?.at(-1);
    const batches = await listImpactBatches(db, { ...(last !== undefined && { beforeId: last }), limit: SUBJECTS_AT_ONCE });
    page = batches.map(({ impactBatchId }) => impactBatchId);
    ids.push(...page);
  }
  return ids;
}

async function compare(db: Queryable, subjectId: string, record: object | undefined): Promise<BatchProblem[]> {
  if (!record) return [{ subjectId, fields: ['removed'] }];
  const [entry] = await listAuditEntries(db, { subjectId, limit: 1 });
  const [now, kept] = [readFields(exactJson(record)), readFields(entry?.after ?? '{}')];
  const fields = [...new Set([...Object.keys(now), ...Object.keys(kept)])].filter((field) => now[field] !== kept[field]);
  return fields.length === 0 ? [] : [{ subjectId, fields }];
}

/** Each field as a text of its own, every number in all its digits. */
function readFields(text: string): Record<string, string> {
  const record = JSON.parse(text, (_name, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? String(source) : value,
  );
  return Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, JSON.stringify(value)]));
}
