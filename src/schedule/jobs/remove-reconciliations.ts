import { removeOldReconciliations } from '../../operations/reconciliations/reconcile-settlement.ts';
import { NodeReader } from '../../store/node-reader.ts';
import { deleteOldDailyUsage } from '../../store/quotas/daily-usage.ts';
import type { Job } from '../job.ts';

/** How long the lines of a partner's list are kept. */
export const RECONCILIATION_DAYS = 30;

/** Removes partners' lists, and daily counts, some time after they were compared. */
export const removeReconciliationsJob: Job = {
  name: 'remove-reconciliations',
  description: `removes the lines of partners' lists ${RECONCILIATION_DAYS} days after they were compared`,
  pattern: '23 * * * *',
  async run({ database, signal }) {
    const nodes = new NodeReader(database);
    await deleteOldDailyUsage(nodes, RECONCILIATION_DAYS);
    return { lines: await removeOldReconciliations(database, RECONCILIATION_DAYS, signal, nodes) };
  },
};
