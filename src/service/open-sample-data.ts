import type { Config } from '../config.ts';
import { openEmbedded } from '../embedded-postgres/open-embedded.ts';
import type { SampleOutcome } from '../sample-data/make-sample-data.ts';
import { listJobs } from '../schedule/jobs.ts';
import { type Database, LOSES_COMMITS, openDatabase } from '../store/database.ts';
import { claimInstallation } from '../store/installation.ts';
import { dropPastClock, lockSampleData, PAST_PATH } from '../store/sandbox/past-clock.ts';
import { replaceDatabase } from '../store/sandbox/replace-database.ts';
import { findSampleData, insertSampleData, insertSampleDataRemoved } from '../store/sandbox/sample-data.ts';
import { migrate } from '../store/schema/migrate.ts';
import { configuredSettlementTools } from './keys/configured-seals.ts';
import { connectStore, embeddedUrl } from './open-database.ts';
import { openEndpointTools } from './open-sandbox.ts';

/** Confirmations and deliveries of the past run one after another. */
const PAST_CONNECTIONS = 8;
/** A commit that is lost with the machine is made again: every step is done once. Later commits of others are not lost. */
const PAST_SETTINGS = [PAST_PATH, LOSES_COMMITS];

/** Makes the sample data that the database of this installation is to have, beside the service. */
export async function openSampleData(
  config: Config,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (sentence: string) => void },
): Promise<SampleOutcome> {
  const parts = new AsyncDisposableStack();
  try {
    const store = await connectStore(config);
    parts.defer(() => store.close());
    const past = store.openApart(PAST_CONNECTIONS, PAST_SETTINGS);
    parts.defer(() => past.close());
    const settlementTools = configuredSettlementTools(config);
    const { makeSampleData } = await import('../sample-data/make-sample-data.ts');
    return await makeSampleData({
      database: store.database,
      past,
      settlementTools,
      signal,
      onProgress,
      endpointTools: openEndpointTools(past, config, Date.now, parts),
      jobs: listJobs({ ...config, settlementTools }),
    });
  } finally {
    await parts.disposeAsync();
  }
}

/** Sample data are made at the first start of a sandbox with a database of its own; nobody else's database gets any. */
export function mayHaveSampleData({ environment, databaseUrl }: Config): boolean {
  return environment === 'sandbox' && databaseUrl === undefined;
}

/**
 * @param isWanted Otherwise what an interrupted start has made of them stays as it is, and no more are made.
 * @returns Whether sample data are to be made beside the service.
 */
export async function prepareSampleData(database: Database, isWanted: boolean): Promise<boolean> {
  if (isWanted) await insertSampleData(database.pool);
  const isMaking = (await findSampleData(database.pool))?.status === 'making';
  if (isMaking && !isWanted) await stopSampleData(database);
  return isMaking && isWanted;
}

/**
 * Replaces the database of this installation by an empty one.
 *
 * @throws Error While the service or another command uses it; then nothing has changed.
 */
export async function removeSampleData({ dataDirectory }: Config, onProgress: (sentence: string) => void): Promise<void> {
  const server = await openEmbedded(dataDirectory, { onProgress });
  try {
    await replaceDatabase((name) => embeddedUrl(server, name), fill);
  } finally {
    await server.stop();
  }
}

/** Unless another process is making them. */
async function stopSampleData(database: Database): Promise<void> {
  const unlock = await lockSampleData(database);
  if (unlock) await dropPastClock(database, 'stopped').finally(unlock);
}

/** An empty database of a sandbox, which is to have no sample data. */
async function fill(databaseUrl: string): Promise<void> {
  await migrate(databaseUrl);
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  try {
    await claimInstallation(database.pool, 'sandbox');
    await insertSampleDataRemoved(database.pool);
  } finally {
    await database.close();
  }
}
