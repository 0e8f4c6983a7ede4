import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Queryable } from '../database.ts';
import { isLockTimeout, isUndefinedTable } from '../database-errors.ts';
import { listNextIndexes, type NextIndex, withNextIndexes } from './build-indexes.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/**
 * Who waits for a table holds up everybody who comes later and would not have had to wait. So a migration waits for a moment, lets the
 * others go first, and tries again; not for ever, because a stranded transaction may hold the table.
 */
const TABLE_LOCK_TIMEOUT_MS = 100;
const PAUSE_MS = 400;
const ATTEMPTS = 120;

/** Of the list of what was applied, which nobody else holds for long. */
const LIST_LOCK_TIMEOUT_MS = 5_000;

/** A distributed database changes several tables in one transaction only so. Elsewhere it means nothing. */
const ONE_SHARD_AFTER_THE_OTHER = '-c citus.multi_shard_modify_mode=sequential';

/** The same for settings of a transaction. */
const WORKERS_TOO = `set local citus.propagate_set_commands = 'local'`;

export interface MigrateOptions {
  /** A transaction pooler stands before the database: it takes no start-up settings, so that the role's lock time-out holds. */
  readonly isPooled?: boolean;
}

export interface AppliedMigration {
  readonly name: string;
}

/**
 * Brings the schema up to date: every numbered file of `migrations/` that the database has not seen, in order, each in a transaction of
 * its own under a lock. Safe when several processes start at once, and beside those who write: nobody waits for a file that waits for a
 * table. Unique indexes that replace others on tables with rows are built before, while others write.
 *
 * @returns The migrations that this call applied; empty when there was nothing to do.
 * @throws Error When a table is held by others all the while; what was applied until then stays, and the next call goes on.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<AppliedMigration[]> {
  // A session through a transaction pooler cannot hold what this needs.
  const indexes = options.isPooled ? [] : await listPendingIndexes(databaseUrl);
  const apply = () => applyAll(databaseUrl, options);
  return indexes.length === 0 ? apply() : withNextIndexes(databaseUrl, indexes, apply);
}

/** None on a new database. */
async function listPendingIndexes(databaseUrl: string): Promise<NextIndex[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  const { pending } = await readMigrationState(client).finally(() => client.end());
  const [first] = await listFiles();
  if (first === undefined || pending.includes(nameOf(first))) return [];
  const texts = await Promise.all(pending.map((name) => readFile(new URL(`${name}.sql`, MIGRATIONS), 'utf8')));
  return texts.flatMap(listNextIndexes);
}

export interface MigrationState {
  /** Names of what the database has not seen. */
  readonly pending: readonly string[];
  /** Names of what it has seen and this program does not know: a newer release was here. */
  readonly unknown: readonly string[];
}

/** Compares the database with `migrations/`. Takes no lock and changes nothing. */
export async function readMigrationState(db: Queryable): Promise<MigrationState> {
  const [known, applied] = await Promise.all([listFiles(), listApplied(db)]);
  const names = known.map(nameOf);
  return {
    pending: names.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !names.includes(name)),
  };
}

async function listApplied(db: Queryable): Promise<string[]> {
  try {
    const { rows } = await (db as pg.Pool).query<{ name: string }>('select name from kysely_migration order by name');
    return rows.map(({ name }) => name);
  } catch (error) {
    if (isUndefinedTable(error)) return [];
    throw error;
  }
}

async function applyAll(databaseUrl: string, { isPooled = false }: MigrateOptions): Promise<AppliedMigration[]> {
  // Seldom needed, and as long to load as a tenth of a start.
  const [{ Kysely, PostgresDialect, sql }, migration] = await Promise.all([import('kysely'), import('kysely/migration')]);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: 5_000,
    ...(!isPooled && { lock_timeout: LIST_LOCK_TIMEOUT_MS, options: ONE_SHARD_AFTER_THE_OTHER }),
    onConnect: (client) => void client.on('error', () => {}),
  });
  pool.on('error', () => {});
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const readFiles = async () => {
    const entries = (await listFiles()).map(async (file): Promise<[string, Migration]> => {
      const text = await readFile(new URL(file, MIGRATIONS), 'utf8');
      const up = async (transaction: Parameters<Migration['up']>[0]) => {
        await sql.raw(WORKERS_TOO).execute(transaction);
        await sql.raw(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`).execute(transaction);
        await sql.raw('set local statement_timeout = 0').execute(transaction);
        for (const statement of listStatements(text)) await sql.raw(statement).execute(transaction);
      };
      return [nameOf(file), { up }];
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  try {
    const migrator = new migration.Migrator({ db, provider: { getMigrations: readFiles } });
    const applied: AppliedMigration[] = [];
    for (let next = await applyNext(migrator); next !== undefined; next = await applyNext(migrator)) applied.push(next);
    return applied;
  } finally {
    await db.destroy();
  }
}

/** @returns The first file that the database had not seen; `undefined` when it has seen all. */
async function applyNext(migrator: Pick<Migrator, 'migrateUp'>): Promise<AppliedMigration | undefined> {
  for (let attempt = 1; ; attempt++) {
    const { error, results: [result] = [] } = await migrator.migrateUp();
    if (error === undefined) return result && { name: result.migrationName };
    if (!isLockTimeout(error)) throw error;
    if (attempt === ATTEMPTS)
      throw new Error(
        `The migration ${result?.migrationName ?? ''} got no lock: another session locks a table. pg_stat_activity shows long transactions; end them, or wait for them, and start again.`,
        { cause: error },
      );
    await sleep(PAUSE_MS);
  }
}

/** `0001_contributions.sql`, …, in order. */
async function listFiles(): Promise<string[]> {
  return (await readdir(MIGRATIONS)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
}

function nameOf(file: string): string {
  return file.replace(/\.sql$/, '');
}

/** A distributed database hands each statement on to other servers, and would hand on all that came along with it. */
export function listStatements(migration: string): string[] {
  const statements: string[] = [];
  let statement = '';
  for (const line of migration.split('\n')) {
    statement += `${line}\n`;
    const isInBody = statement.split('$$').length % 2 === 0;
    if (isInBody || !/^(?!\s*--).*;\s*$/.test(line)) continue;
    statements.push(statement);
    statement = '';
  }
  return statement.trim() === '' ? statements : [...statements, statement];
}
