import { repeat } from '../concurrency/repeat.ts';
import { completeReconciliations } from '../operations/reconciliations/complete-reconciliations.ts';
import type { Database } from '../store/database.ts';
import { NodeReader } from '../store/node-reader.ts';

const PAUSE_MS = 1_000;

/**
 * Completes reconciliations whose list has arrived. Any number of processes may run it.
 *
 * @returns A function that stops it.
 */
export function openReconciler(database: Database, onError: (error: unknown) => void): () => Promise<void> {
  const nodes = new NodeReader(database, onError);
  return repeat({
    pauseMs: PAUSE_MS,
    onError,
    async work(signal) {
      await completeReconciliations(database, signal, nodes);
      return false;
    },
  });
}
