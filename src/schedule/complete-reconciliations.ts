import { repeat } from '../concurrency/repeat.ts';
import type { StorageUsage } from '../operations/quotas/storage-usage.ts';
import { completeReconciliations, listLeft } from '../operations/reconciliations/complete-reconciliations.ts';
import type { Database } from '../store/database.ts';
import { NodeReader } from '../store/node-reader.ts';
import { shortenReconciliationLeases } from '../store/reconciliations/reconciliation.ts';

const PAUSE_MS = 1_000;
/** What a clock that was ahead has set is looked for so often. */
const SHORTEN_EVERY_MS = 60_000;

/**
 * Completes reconciliations whose list has arrived. Any number of processes may run it.
 *
 * @param usage Counts what is stored for the partners.
 * @returns A function that stops it.
 */
export function keepCompletingReconciliations(
  database: Database,
  usage: StorageUsage,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const nodes = new NodeReader(database, onError);
  let shortenedAtMs = Number.NEGATIVE_INFINITY;
  const list = async () => {
    if (performance.now() - shortenedAtMs >= SHORTEN_EVERY_MS) {
      await shortenReconciliationLeases(nodes);
      shortenedAtMs = performance.now();
    }
    return listLeft(nodes);
  };
  const work = (signal: AbortSignal) => completeReconciliations(database, signal, { list, usage, onError });
  return repeat({ pauseMs: PAUSE_MS, onError, work });
}
