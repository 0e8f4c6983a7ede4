import { updateApiKeysLastUsed } from '../../store/access/api-key.ts';
import type { Database } from '../../store/database.ts';

const INTERVAL_MS = 20_000;

export interface KeyUse {
  /** Only adds to a set: a request does not wait for a query. */
  record(keyId: string): void;
  /** Writes what is collected and stops. */
  close(): Promise<void>;
}

/** When each key was last used, to the minute: collected in memory, and written every twenty seconds. */
export function createKeyUse(database: Database, onError: (error: unknown) => void): KeyUse {
  let used = new Set<string>();
  const write = async (): Promise<void> => {
    if (used.size === 0) return;
    const keyIds = [...used];
    used = new Set();
    // For display only: a failed write is repeated after the next use.
    await updateApiKeysLastUsed(database.pool, keyIds).catch(onError);
  };
  const timer = setInterval(() => void write(), INTERVAL_MS);
  timer.unref();
  return {
    record: (keyId) => void used.add(keyId),
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}
