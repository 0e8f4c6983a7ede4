import { type Config, readConfig } from '../../config.ts';
import { requireRole } from '../../operations/audit/audit.ts';
import { connectStore } from '../../service/open-database.ts';
import type { Database } from '../../store/database.ts';
import { currentActor } from './actor.ts';
import { printProgress } from './output.ts';

type Use = (database: Database, config: Config) => Promise<void>;

/** Lends the database of the running service, or of the next one, to one command, for somebody who may look. What changes something asks for more. */
export async function withStore(use: Use): Promise<void> {
  await withUnguardedStore(async (database, config) => {
    requireRole(await currentActor(database), 'viewer');
    await use(database, config);
  });
}

/** The same for whoever is about to sign in, or wants to know whether that was done. */
export async function withUnguardedStore(use: Use): Promise<void> {
  const config = readConfig(process.env);
  const store = await connectStore(config, { onProgress: printProgress });
  try {
    await use(store.database, config);
  } finally {
    await store.close();
  }
}
