import { repeat } from '../../concurrency/poll.ts';
import { endDuePending } from '../../operations/sandbox/end-due-pending.ts';
import type { Database } from '../../store/database.ts';

const PAUSE_MS = 500;

/** Ends pending contributions whose partners asked for it. Any number of processes may. @returns A function that ends it. */
export function openSandboxEnds(database: Database, onError: (error: unknown) => void): () => Promise<void> {
  return repeat({ pauseMs: PAUSE_MS, onError, work: (signal) => endDuePending(database, signal) });
}
