import { repeat } from '../concurrency/repeat.ts';
import { openSimulatedEnding } from '../operations/sandbox/end-simulated-reviews.ts';
import type { Database } from '../store/database.ts';
import { NodeReader } from '../store/node-reader.ts';

const PAUSE_MS = 500;

/**
 * Resolves pending contributions as their partners requested. Any number of processes may run it.
 *
 * @returns A function that stops it.
 */
export function openSimulatedReviews(database: Database, onError: (error: unknown) => void): () => Promise<void> {
  const nodes = new NodeReader(database, onError);
  const endDue = openSimulatedEnding(database, nodes);
  return repeat({ pauseMs: PAUSE_MS, onError, work: endDue });
}
