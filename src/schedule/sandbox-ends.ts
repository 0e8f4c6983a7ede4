import { repeat } from '../concurrency/repeat.ts';
import { endDuePending } from '../operations/sandbox/end-due-pending.ts';
import type { Database } from '../store/database.ts';
import { NodeReader } from '../store/node-reader.ts';

const PAUSE_MS = 500;

/**
 * Resolves pending contributions as their partners requested. Any number of processes may run it.
 *
 * @returns A function that stops it.
 */
export function openSandboxEnds(database: Database, onError: (error: unknown) => void): () => Promise<void> {
  const nodes = new NodeReader(database, onError);
  return repeat({ pauseMs: PAUSE_MS, onError, work: (signal) => endDuePending(database, nodes, signal) });
}
