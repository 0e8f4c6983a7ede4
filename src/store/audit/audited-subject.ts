/** The records that have entries in the audit, by their ids. */
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const WITH_PREFIX: Statement = {
  name: 'list_audit_subjects_with_prefix',
  text: `select distinct subject_id as "subjectId" from audit_entry where subject_id > $1 and subject_id < $2 order by subject_id limit $3`,
};

/** The records with entries whose ids have this prefix, in the order of their ids. */
export async function listAuditSubjectsWithPrefix(
  db: Queryable,
  { prefix, afterId, limit }: { prefix: string; afterId: string; limit: number },
): Promise<string[]> {
  const rows = await run<{ subjectId: string }>(db, WITH_PREFIX, [afterId || prefix, `${prefix}~`, limit]);
  return rows.map(({ subjectId }) => subjectId);
}

const OF_ACTION: Statement = {
  name: 'list_audit_subjects_of_action',
  text: `select distinct subject_id as "subjectId" from audit_entry where subject_id = any($1) and action = $2`,
};

/** Which of the records have an entry of this action. An index finds the entries. */
export async function listAuditSubjectsOfAction(db: Queryable, subjectIds: readonly string[], action: string): Promise<string[]> {
  const rows = await run<{ subjectId: string }>(db, OF_ACTION, [subjectIds, action]);
  return rows.map(({ subjectId }) => subjectId);
}

/** In the words of the index `audit_entry_of_adjustment`, which has the entries of adjustments alone. */
const ADJUSTMENTS: Statement = {
  name: 'list_audited_adjustments',
  text: `select distinct subject_id as "subjectId" from audit_entry where partner_id = $1 and action like 'adjustment.%' and subject_id > $2
    order by subject_id limit $3`,
};

/** The adjustments that have an entry of the partner, in the order of their ids. */
export async function listAuditedAdjustments(
  db: Queryable,
  { partnerId, afterId, limit }: { partnerId: string; afterId: string; limit: number },
): Promise<string[]> {
  const rows = await run<{ subjectId: string }>(db, ADJUSTMENTS, [partnerId, afterId, limit]);
  return rows.map(({ subjectId }) => subjectId);
}

/** Of the entries about rules, of which there are few beside all others of a partner. */
const RULES: Statement = {
  name: 'list_audited_rules',
  text: `select subject_id as "subjectId" from audit_entry
    where action > 'rule.' and action < 'rule/' and coalesce(partner_id, $1) = $1 order by action, entry_no`,
};

/** The versions of rules that have an entry of the partner, or one of all partners: each as often as it has one. */
export async function listAuditedRules(db: Queryable, partnerId: string): Promise<string[]> {
  const rows = await run<{ subjectId: string }>(db, RULES, [partnerId]);
  return rows.map(({ subjectId }) => subjectId);
}
