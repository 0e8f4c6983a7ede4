import type { Config } from '../config.ts';
import type { Environment } from '../domain/access/api-key.ts';
import { pluralise } from '../domain/pluralise.ts';
import {
  EMBEDDED_PROBLEM,
  type EmbeddedServer,
  openEmbedded,
  USE_SETTINGS_OF_SERVICE,
} from '../embedded-postgres/open-embedded.ts';
import type { Logger } from '../observability/log.ts';
import { throttled } from '../observability/throttled.ts';
import { requireAuditKeys } from '../operations/audit/require-audit-keys.ts';
import { startSeals } from '../operations/verification/start-seals.ts';
import { findAuditHead } from '../store/audit/audit-head.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { type ProblemReason, problemOf } from '../store/database-problem.ts';
import { listDurabilityProblems, listWorkerProblems, readServerSettings, readWorkerSettings } from '../store/durability.ts';
import { claimInstallation, findEnvironment } from '../store/installation.ts';
import { OneSchema } from '../store/one-schema.ts';
import { distributeTables, listDistributedTables } from '../store/schema/distribute.ts';
import {
  type AppliedMigration,
  type MigrationState,
  migrate,
  readMigrationState,
  refuseNewerRelease,
} from '../store/schema/migrate.ts';
import { describeLackingKey, listLackingKeys } from '../store/schema/unique-keys.ts';
import { nextStepOf } from './database-problem-words.ts';
import { readIdentifierClock } from './identifier-clock.ts';
import { hasAuditKey, openAuditKeys, requireAuditKey } from './keys/configured-keys.ts';
import { nameMissing } from './missing-migrations.ts';
import { once } from './once.ts';

/** The database of this installation, on any server. */
export interface Store {
  readonly databaseUrl: string;
  readonly database: Database;
  /** Opens separate connections to the same database, for work that requests must not wait for. The caller closes it. */
  openPool(poolSize: number): Database;
  /** Opens separate connections with these settings, whose events no other part of the process hears of. */
  openApart(poolSize: number, settings: readonly string[]): Database;
  /** The schema in which its connections find the tables; `undefined` while none has found them. */
  findSchema(): string | undefined;
  /** Why the embedded server that this process keeps running does not run; `undefined` while it does, and of any other server. */
  findFailure(): string | undefined;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Whether to create the embedded database and to migrate the schema; otherwise an absent database and an outdated schema are refused. */
  readonly migrates?: boolean;
  /**
   * What this process does about the embedded server: `keep` starts it, again too when it has ended; `start`, the default, starts it where
   * none runs; `attach` waits for the one of another process.
   */
  readonly embeddedServer?: 'keep' | 'start' | 'attach';
  readonly poolSize?: number;
  /** Where another process of the service finds the tables. */
  readonly schema?: string | undefined;
  readonly logger?: Logger;
  readonly onProgress?: (sentence: string) => void;
}

/** Options of a store that is opened and not checked. */
export interface OpenOptions extends Omit<StoreOptions, 'migrates'> {
  /** Whether to create the embedded database where there is none; otherwise that is an error. */
  readonly createsDatabase?: boolean;
}

/** A store of which nothing is checked yet. */
interface UncheckedStore extends Store {
  /** Lets the first seal make a new key, where there is neither the setting nor the file. */
  allowNewAuditKey(): void;
}

/** How often the embedded server is checked, so that the service survives its end. */
const WATCH_MS = 1_000;

/**
 * Opens the database with the schema up to date, and checks that it is durable and belongs to this environment.
 *
 * @throws Error With a sentence that says what to do.
 */
export async function connectStore(config: Config, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(config, { ...options, createsDatabase: options.migrates ?? false });
  try {
    const isDistributed = await prepare(store, config, options);
    const withDistribution = (database: Database): Database => ({ ...database, isDistributed });
    return {
      ...store,
      database: withDistribution(store.database),
      openPool: (size) => withDistribution(store.openPool(size)),
      openApart: (size, settings) => withDistribution(store.openApart(size, settings)),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Opens the database like {@link connectStore}, but neither migrates nor checks it: `doctor` looks before anything is changed.
 */
export async function openStore(
  config: Config,
  { embeddedServer = 'start', createsDatabase = false, poolSize = 4, schema, logger, onProgress = () => {} }: OpenOptions = {},
): Promise<UncheckedStore> {
  const isEmbedded = config.databaseUrl === undefined;
  const mayStart = embeddedServer !== 'attach';
  let tell = onProgress;
  const embedded = { mayStart, mayCreate: createsDatabase, onProgress: (sentence: string) => tell(sentence) };
  const server = isEmbedded ? await openEmbedded(config.dataDirectory, embedded) : undefined;
  // Of a later start the log tells.
  if (logger) tell = (sentence) => logger.warn(sentence);
  const databaseUrl = config.databaseUrl ?? embeddedUrl(server as EmbeddedServer);
  let mayMakeAuditKey = false;
  const oneSchema = new OneSchema(schema);
  const connection = {
    databaseUrl,
    oneSchema,
    preparesStatements: config.preparesStatements,
    auditKeys: once(() => (mayMakeAuditKey ? openAuditKeys : requireAuditKey)(config)),
    onConnectionError: throttled((err, times) => logger?.warn({ err, times }, 'a connection to the database was lost')),
  };
  const database = openDatabase({ ...connection, poolSize });
  const watch = server && embeddedServer === 'keep' ? watchOver(server, logger) : undefined;
  return {
    databaseUrl,
    database,
    openPool(size) {
      const { committedEvents } = database;
      return openDatabase({ ...connection, poolSize: size, committedEvents });
    },
    openApart: (size, settings) => openDatabase({ ...connection, poolSize: size, settings }),
    allowNewAuditKey() {
      mayMakeAuditKey = true;
    },
    findSchema: () => oneSchema.name,
    findFailure: () => watch?.findFailure(),
    async close() {
      watch?.close();
      await database.close();
      await server?.stop();
    },
  };
}

/** The address of a database of the embedded server. It names all that the driver takes from `PGPORT`, `PGSSLMODE` and others otherwise. */
export function embeddedUrl({ socketDirectory }: EmbeddedServer, name = 'postgres'): string {
  const whole = 'user=postgres&port=5432&ssl=0&sslnegotiation=postgres&replication=false&options=-c%20timezone%3DUTC';
  return `postgresql:///${name}?host=${encodeURIComponent(socketDirectory)}&${whole}`;
}

function watchOver(server: EmbeddedServer, logger: Logger | undefined): Pick<Store, 'findFailure'> & { close(): void } {
  let isLooking = false;
  let failure: string | undefined;
  const report = throttled((err, times) => logger?.error({ err, times }, 'the embedded database is down'));
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await server.ensureRunning();
      failure = undefined;
    } catch (error) {
      failure = (error as Error).message;
      report(error);
    }
    isLooking = false;
  };
  const timer = setInterval(() => void look(), WATCH_MS);
  timer.unref();
  return { findFailure: () => failure, close: () => clearInterval(timer) };
}

/**
 * @returns Whether the tables are distributed over several nodes.
 */
async function prepare(store: UncheckedStore, config: Config, options: StoreOptions): Promise<boolean> {
  const { database } = store;
  // An invalid key stops the service at its start, and not at the first change.
  if (options.migrates ? hasAuditKey(config) : config.auditKey !== undefined) database.auditKeys();
  await requireSuitableServer(database);
  await readIdentifierClock(database);
  // Before a migration, after which the service of the other environment could not start again.
  requireEnvironment(await findEnvironment(database.pool), config);
  const isDistributed = await bringUpToDate(store, config, options);
  if (isDistributed) await requireDurableWorkers(database);
  requireEnvironment(await claimInstallation(database.pool, config.environment), config);
  // A new key is for a new audit alone.
  if ((await findAuditHead(database.pool))?.lastNo === 0n) store.allowNewAuditKey();
  if (options.migrates) {
    await requireAuditKeys(database);
    await startSeals({ ...database, isDistributed });
    await requireKeysOfContributions(database, options);
  }
  return isDistributed;
}

/**
 * @param owner To which the database belongs; `undefined` before the first start.
 */
export function requireEnvironment(owner: Environment | undefined, { environment }: Config): void {
  if (owner !== undefined && owner !== environment)
    throw new Error(
      `This database belongs to the ${owner} environment, but SERVICE_ENVIRONMENT is ${environment}. Use the database of this environment.`,
    );
}

async function requireSuitableServer({ pool }: Database): Promise<void> {
  const settings = await readServerSettings(pool).catch((cause: unknown) => {
    throw new Error(`The database cannot be reached: ${describeFailure(cause)}`, { cause });
  });
  if (settings.encoding !== 'UTF8')
    throw new Error(
      `The database has the encoding ${settings.encoding}, which has no Arabic. Create one with the encoding UTF8.`,
    );
  refuseLossy(listDurabilityProblems(settings));
}

/** Why there is no connection, and what to do about it. */
export function describeFailure(failure: unknown): string {
  const { message, code } = failure as Error & { code?: string };
  return code === EMBEDDED_PROBLEM ? message : `${message.replace(/\.$/, '')}. ${stepAfterFailure(failure)}.`;
}

/** A connection that is tried keeps the others waiting. */
const AT_START: ReadonlySet<ProblemReason> = new Set(['unreachable', 'no_answer', 'connections_busy']);

function stepAfterFailure(failure: unknown): string {
  // What PgBouncer answers to the settings of a session and to queries by name.
  if (/unsupported startup parameter|prepared statement "/.test((failure as Error).message))
    return 'Behind PgBouncer, set DATABASE_PREPARED_STATEMENTS=off';
  const reason = problemOf(failure)?.reason ?? 'unreachable';
  // At a start the address may be wrong.
  if (AT_START.has(reason)) return 'Check that the database runs and that DATABASE_URL is correct';
  return nextStepOf(reason);
}

/** Workers that cannot be asked stop no start: their partners are answered with 503, and all others as usual. */
async function requireDurableWorkers(database: Database): Promise<void> {
  refuseLossy(listWorkerProblems(await readWorkerSettings(database).catch(() => [])));
}

/**
 * Without one of these keys each request that a partner repeats would be recorded again, and nothing could take it back. Without a key of
 * another table every contribution is still recorded once: the log tells of it.
 *
 * @see docs/decisions/0125-no-start-without-the-keys-of-contributions.md#decision
 */
async function requireKeysOfContributions({ pool }: Database, { logger }: StoreOptions): Promise<void> {
  const lacking = Map.groupBy(await listLackingKeys(pool), ({ table }) => table === 'contribution');
  for (const key of lacking.get(false) ?? []) logger?.error(describeLackingKey(key));
  const needed = lacking.get(true) ?? [];
  if (needed.length > 0)
    throw new Error(
      `This database could record a contribution twice:\n${needed.map((key) => `  - ${describeLackingKey(key)}`).join('\n')}`,
    );
}

function refuseLossy(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new Error(
      `This database is not durable: contributions could be lost.\n${problems.map((each) => `  - ${each}`).join('\n')}`,
    );
}

/**
 * Applies missing migrations when the options say so; otherwise a schema that lacks any is refused.
 *
 * @returns Whether the tables are distributed over several nodes.
 */
async function bringUpToDate(
  { database, databaseUrl }: Store,
  config: Config,
  { migrates = false, onProgress = () => {} }: StoreOptions,
): Promise<boolean> {
  const state = await readMigrationState(database.pool);
  const { pending } = state;
  if (!migrates && pending.length > 0)
    throw new Error(`${describePending(state)} Start the service (npm start), or run: npx partner-impact migrate`);
  if (migrates) refuseNewerRelease(state);
  const session = { isPooled: !config.preparesStatements };
  if (migrates && pending.length > 0) {
    const applied = await migrate(databaseUrl, { ...session, onWait: onProgress });
    for (const sentence of tellMigrated(state, applied)) onProgress(sentence);
  }
  const isDistributed = (await listDistributedTables(database)).length > 0;
  // Tables that a migration created are distributed like the others.
  if (migrates && isDistributed)
    for (const name of await distributeTables(databaseUrl, session)) onProgress(`Distributed the table ${name}`);
  return isDistributed;
}

function describePending(state: MigrationState): string {
  if (state.isEmpty) return `The database is empty: no release was here. ${USE_SETTINGS_OF_SERVICE}`;
  return `The database lacks ${nameMissing(state)}.`;
}

/** One sentence for a new database, on which nobody waited for a migration. */
function tellMigrated({ isEmpty }: MigrationState, applied: readonly AppliedMigration[]): string[] {
  if (!isEmpty) return applied.map(({ name }) => `Migrated the database: ${name}`);
  return applied.length === 0 ? [] : [`Created the tables (${pluralise(applied.length, 'migration')})`];
}
