import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { ReconciliationName } from './reconciliation.ts';

const LIST_OLD: Statement = {
  name: 'list_old_reconciliations',
  text: `select partner_id as "partnerId", reconciliation_id as "reconciliationId" from reconciliation
    where ended_at < now() - $1 * interval '1 day' and lines_removed_at is null`,
};

/** Lists the reconciliations that ended so many days ago and still have their lines. */
export async function listOldReconciliations(db: Queryable, days: number): Promise<ReconciliationName[]> {
  return run<ReconciliationName>(db, LIST_OLD, [days]);
}

const REMOVED: Statement = {
  name: 'update_reconciliation_lines_removed',
  text: `update reconciliation set lines_removed_at = ${NOW} where partner_id = $1 and reconciliation_id = $2`,
};

export async function updateLinesRemoved(db: Queryable, { partnerId, reconciliationId }: ReconciliationName): Promise<void> {
  await run(db, REMOVED, [partnerId, reconciliationId]);
}
