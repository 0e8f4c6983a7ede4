import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { run, type Statement } from '../query.ts';
import type { ReconciliationName } from './reconciliation.ts';

const LIST_OLD: OfAllPartners = {
  name: 'list_old_reconciliations',
  write: (ofPartners) => `select partner_id as "partnerId", reconciliation_id as "reconciliationId" from reconciliation
    where ${ofPartners('partner_id')} and ended_at < now() - $1 * interval '1 day' and lines_removed_at is null`,
};

/** Lists the reconciliations that ended so many days ago and still have their lines. */
export async function listOldReconciliations(nodes: NodeReader, days: number): Promise<ReconciliationName[]> {
  return nodes.read<ReconciliationName>(LIST_OLD, [days]);
}

const REMOVED: Statement = {
  name: 'update_reconciliation_lines_removed',
  text: `update reconciliation set lines_removed_at = ${NOW} where partner_id = $1 and reconciliation_id = $2`,
};

export async function updateLinesRemoved(db: Queryable, { partnerId, reconciliationId }: ReconciliationName): Promise<void> {
  await run(db, REMOVED, [partnerId, reconciliationId]);
}
