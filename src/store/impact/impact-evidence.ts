import type { Evidence, NewEvidence } from '../../domain/impact/evidence.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const COLUMNS = `evidence_no as "evidenceNo", type, url, file_name as "fileName", byte_count as "byteCount", sha256,
    captured_at as "capturedAt", added_by as "addedBy", added_at as "addedAt"`;

const INSERT: Statement = {
  name: 'insert_impact_evidence',
  text: `insert into impact_evidence (impact_batch_id, evidence_no, type, url, file_name, byte_count, sha256, captured_at, added_by, added_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${NOW}) on conflict (impact_batch_id, sha256) do nothing returning ${COLUMNS}`,
};

/**
 * @returns `undefined` when the batch has this file already. Its number needs the batch's lock.
 */
export async function insertEvidence(
  db: Queryable,
  impactBatchId: string,
  evidence: NewEvidence & Pick<Evidence, 'evidenceNo' | 'addedBy'>,
): Promise<Evidence | undefined> {
  const { evidenceNo, type, url, fileName, byteCount, sha256, capturedAt, addedBy } = evidence;
  const values = [impactBatchId, evidenceNo, type, url, fileName, byteCount, sha256, capturedAt, addedBy];
  const [row] = await run<Evidence>(db, INSERT, values);
  return row;
}

const LIST: Statement = {
  name: 'list_impact_evidence',
  text: `select ${COLUMNS} from impact_evidence where impact_batch_id = $1 order by evidence_no`,
};

/** In the order of their adding. */
export async function listEvidence(db: Queryable, impactBatchId: string): Promise<Evidence[]> {
  return run<Evidence>(db, LIST, [impactBatchId]);
}
