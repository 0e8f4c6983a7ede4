import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

/** Another process may migrate, or a stranded transaction may hold a table: wait a little, again and again, but not for ever. */
const LOCK_TIMEOUT_MS = 5_000;
const ATTEMPTS = 6;
const PAUSE_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';

/** A distributed database changes several tables in one transaction only so. Elsewhere it means nothing. */
const ONE_SHARD_AFTER_THE_OTHER = '-c citus.multi_shard_modify_mode=sequential';

export interface MigrateOptions {
  /** A transaction pooler stands before the database: it takes no start-up settings, so that the role's lock time-out holds. */
  readonly isPooled?: boolean;
}

export interface AppliedMigration {
  readonly name: string;
}

/**
 * Brings the schema up to date: every numbered file of `migrations/` that the database has not seen, in order, all in one
 * transaction under a lock. Safe when several processes start at once.
 *
 * @returns The migrations that this call applied; empty when there was nothing to do.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<AppliedMigration[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withMigrator(databaseUrl, options, applyAll);
    } catch (error) {
      const isBlocked = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
      if (!isBlocked || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** The names of the migrations that the database has not seen; `doctor` asks. */
export async function listPendingMigrations(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  return withMigrator(databaseUrl, options, async (migrator) => {
    const all = await migrator.getMigrations();
    return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
  });
}

async function applyAll(migrator: Migrator): Promise<AppliedMigration[]> {
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => ({ name: migrationName }));
}

async function withMigrator<T>(
  databaseUrl: string,
  { isPooled = false }: MigrateOptions,
  use: (migrator: Migrator) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 5_000,
    ...(!isPooled && { lock_timeout: LOCK_TIMEOUT_MS, options: ONE_SHARD_AFTER_THE_OTHER }),
    onConnect: (client) => void client.on('error', () => {}),
  });
  pool.on('error', () => {});
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await use(new Migrator({ db, provider: { getMigrations: () => readMigrations() } }));
  } finally {
    await db.destroy();
  }
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(MIGRATIONS)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
  const entries = files.map(async (file): Promise<[string, Migration]> => {
    const text = await readFile(new URL(file, MIGRATIONS), 'utf8');
    return [file.replace(/\.sql$/, ''), { up: async (db: Kysely<unknown>) => void (await sql.raw(text).execute(db)) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
