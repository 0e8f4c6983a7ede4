import { type Config, readConfig } from '../config.ts';
import { connectStore } from '../storage.ts';
import type { Database } from '../store/database.ts';
import { printProgress } from './output.ts';

/** Lends the database of the running service, or of the next one, to one command. */
export async function withStore(use: (database: Database, config: Config) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const store = await connectStore(config, { onProgress: printProgress });
  try {
    await use(store.database, config);
  } finally {
    await store.close();
  }
}
