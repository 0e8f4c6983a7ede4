import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Queryable } from '../database.ts';
import { isDeadlock, isLockTimeout, isUndefinedTable } from '../database-errors.ts';
import { dropUnfinished, listNextIndexes, type NextIndex, withNextIndexes } from './build-indexes.ts';
import { refuseHiddenTables } from './hidden-tables.ts';
import { attemptWhileLocked, connectToMigrate, describeSession, inLockedTransaction, listSessions } from './migrating-session.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

/** The lock of a migrating process, for the transaction of a file. Releases that migrated with Kysely take the same one, for a session. */
const MIGRATION_LOCK = '3853314791062309107';

/** A distributed database changes several tables in one transaction only with this setting. Elsewhere it has no effect. */
const ONE_SHARD_AFTER_THE_OTHER = 'citus.multi_shard_modify_mode=sequential';

export interface MigrateOptions {
  /** A transaction pooler is in front of the database: it accepts no start-up settings, so the role's lock time-out is in effect. */
  readonly isPooled?: boolean;
  /** Told once for a file or an index that waits for others, with who they may be. */
  readonly onWait?: (sentence: string) => void;
}

export interface AppliedMigration {
  readonly name: string;
}

/**
 * Brings the schema up to date: every numbered file of `migrations/` that the database lacks, in order, each in its own transaction under
 * a lock. Safe when several processes start at once, and beside writers: nobody waits long for a file that waits for a table. Unique indexes
 * that replace others on tables with rows are built beforehand, while others write.
 *
 * @returns The migrations that this call applied; empty when there was nothing to do.
 * @throws Error When a newer release was here, the database has the tables in a schema where the role does not find them, or other transactions hold a table all the time; applied files stay, and the next call
 * continues.
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<AppliedMigration[]> {
  const apply = () => applyAll(databaseUrl, options);
  const listPending = () => listPendingIndexes(databaseUrl);
  // A session through a transaction pooler cannot hold the lock of the building.
  if (options.isPooled || (await listPending()).length === 0) return apply();
  return withNextIndexes(databaseUrl, listPending, apply, options.onWait);
}

/** None on a new database. */
async function listPendingIndexes(databaseUrl: string): Promise<NextIndex[]> {
  const client = await connectToMigrate(databaseUrl);
  const { pending } = await readMigrationState(client).finally(() => client.end());
  const [first] = await listFiles();
  if (first === undefined || pending.includes(nameOf(first))) return [];
  const texts = await Promise.all(pending.map((name) => readFile(new URL(`${name}.sql`, MIGRATIONS), 'utf8')));
  return texts.flatMap(listNextIndexes);
}

export interface MigrationState {
  /** No file was applied yet: the database is empty. */
  readonly isEmpty: boolean;
  /** Names of the files that the database lacks. */
  readonly pending: readonly string[];
  /** Names of applied migrations that this program does not know: a newer release was here. */
  readonly unknown: readonly string[];
}

/**
 * Compares the database with `migrations/`. Takes no lock and changes nothing.
 *
 * @throws Error When the database has the tables in a schema where this session does not find them.
 */
export async function readMigrationState(db: Queryable): Promise<MigrationState> {
  const [known, applied] = await Promise.all([listFiles(), listApplied(db)]);
  return compare(known.map(nameOf), applied);
}

function compare(known: readonly string[], applied: readonly string[]): MigrationState {
  return {
    isEmpty: applied.length === 0,
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)),
  };
}

/**
 * @throws Error When the database has migrations that this program does not know.
 */
export function refuseNewerRelease({ unknown }: MigrationState): void {
  if (unknown.length > 0)
    throw new Error(`The database has the migrations ${unknown.join(', ')} of a newer release. Start that release.`);
}

async function listApplied(db: Queryable): Promise<string[]> {
  try {
    return await readList(db);
  } catch (error) {
    if (!isUndefinedTable(error)) throw error;
    await refuseHiddenTables(db);
    return [];
  }
}

/** Has the name that releases with Kysely used, so that their databases can be continued. */
async function readList(db: Queryable): Promise<string[]> {
  const { rows } = await (db as pg.Pool).query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

async function applyAll(
  databaseUrl: string,
  { isPooled = false, onWait = () => {} }: MigrateOptions,
): Promise<AppliedMigration[]> {
  const client = await connectToMigrate(databaseUrl, { isPooled, settings: [ONE_SHARD_AFTER_THE_OTHER] });
  try {
    const applied: AppliedMigration[] = [];
    for (;;) {
      const next = await applyNext(client, onWait);
      if (next === undefined) break;
      applied.push(next);
    }
    return applied;
  } finally {
    await client.end();
  }
}

/**
 * @returns The first file that the database lacks; `undefined` when it has all.
 */
async function applyNext(client: pg.Client, onWait: (sentence: string) => void): Promise<AppliedMigration | undefined> {
  return attemptWhileLocked(
    client,
    (lockTimeoutMs) => {
      const options = { lock: MIGRATION_LOCK, settings: `set local lock_timeout = ${lockTimeoutMs}`, busy: BUSY };
      return inLockedTransaction(client, options, () => applyFirstPending(client));
    },
    async (error, number) => {
      if (!(error instanceof TableLockedError)) throw error;
      if (number > 1) return;
      onWait(`The migration ${error.migration} waits for a table that another session locks${await describeHolder(client)} …`);
    },
  );
}

/** The session that has held a table for longest. */
async function describeHolder(client: pg.Client): Promise<string> {
  const [holder] = await listSessions(
    client,
    `where a.pid <> pg_backend_pid() and exists (select from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = a.pid and l.locktype = 'relation' and l.granted
          and l.database = (select oid from pg_database where datname = current_database())
          and c.relkind in ('r', 'p') and pg_table_is_visible(c.oid) and c.relnamespace <> 'pg_catalog'::regnamespace)`,
  );
  return holder ? ` (it may be ${describeSession(holder)})` : '';
}

/** Nothing of the migration is stored. */
class TableLockedError extends Error {
  override readonly name = 'TableLockedError';
  readonly migration: string;

  constructor(migration: string, cause: unknown) {
    super(
      `The migration ${migration} got no lock: another session locks a table. pg_stat_activity shows long transactions; end them, or wait for them, and start again.`,
      { cause },
    );
    this.migration = migration;
  }
}

const BUSY = 'Another process has been migrating this database for an hour. pg_stat_activity shows what it does.';

/** A file and its row of the list are committed together or not at all. */
async function applyFirstPending(client: pg.Client): Promise<AppliedMigration | undefined> {
  let name: string | undefined;
  try {
    name = await findFirstPending(client);
    if (name === undefined) return undefined;
    const text = await readFile(new URL(`${name}.sql`, MIGRATIONS), 'utf8');
    await dropUnfinished(client, listNextIndexes(text));
    for (const statement of listStatements(text)) await client.query(statement);
    await client.query(LIST_AS_APPLIED, [name]);
    return { name };
  } catch (error) {
    throw isLockTimeout(error) || isDeadlock(error) ? new TableLockedError(name ?? 'list', error) : error;
  }
}

const LIST_AS_APPLIED = `insert into kysely_migration (name, timestamp)
  values ($1, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

const FIRST_ATTEMPTS = ['0039_first_attempts', '0040_check_first_attempts'];

/** The first databases of release 1.0.0 have the later files and lack the earlier ones, which change other tables. */
const MAY_FOLLOW: ReadonlyMap<string, readonly string[]> = new Map([
  ['0037_passkeys', FIRST_ATTEMPTS],
  ['0038_check_passkeys', FIRST_ATTEMPTS],
]);

async function findFirstPending(client: pg.Client): Promise<string | undefined> {
  const { rowCount } = await client.query("select where to_regclass('kysely_migration') is not null");
  if (rowCount === 0) {
    await refuseHiddenTables(client);
    await client.query('create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)');
  }
  const applied = await readList(client);
  const state = compare((await listFiles()).map(nameOf), applied);
  refuseNewerRelease(state);
  const [first] = state.pending;
  const later = first === undefined ? undefined : applied.find((name) => name > first && !MAY_FOLLOW.get(first)?.includes(name));
  if (later !== undefined)
    throw new Error(`The migration ${first} comes before ${later}, which the database has. Give the file a higher number.`);
  return first;
}

/** `0001_contributions.sql`, …, in order. */
async function listFiles(): Promise<string[]> {
  return (await readdir(MIGRATIONS)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
}

function nameOf(file: string): string {
  return file.replace(/\.sql$/, '');
}

/** A distributed database passes each statement on to other servers, with everything sent along with it. */
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
