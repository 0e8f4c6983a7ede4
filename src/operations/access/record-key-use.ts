import { updateApiKeysLastUsed } from '../../store/access/api-key.ts';
import type { Database } from '../../store/database.ts';

const INTERVAL_MS = 20_000;

export interface KeyUse {
  /** Costs a request nothing but this. */
  record(keyId: string): void;
  /** Writes down what is gathered and stops gathering. */
  close(): Promise<void>;
}

/** When each key was last used, to the minute: gathered, and written down every twenty seconds. */
export function createKeyUse(database: Database, onError: (error: unknown) => void): KeyUse {
  let used = new Set<string>();
  const write = async (): Promise<void> => {
    if (used.size === 0) return;
    const keyIds = [...used];
    used = new Set();
    // Only a display: what could not be written is noted again at the next use.
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
