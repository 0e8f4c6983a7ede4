import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectToMigrate, describeSession, listSessions } from './migrating-session.ts';

/** An index that a migration adds, or that replaces another: its name ends in `_next` until then. */
export interface NextIndex {
  readonly name: string;
  readonly table: string;
  /** Builds it without blocking writers. */
  readonly text: string;
}

const INDEX_OF_MIGRATION = /^create (unique )?index if not exists (\w+_next) on (\w+)([^;]*);/gm;

export function listNextIndexes(migration: string): NextIndex[] {
  return [...migration.matchAll(INDEX_OF_MIGRATION)].map(([, unique = '', name = '', table = '', rest]) => ({
    name,
    table,
    text: `create ${unique}index concurrently ${name} on ${table}${rest}`,
  }));
}

/**
 * Builds indexes beside those that they replace: rows are written meanwhile, and both indexes check them. An unfinished index is built
 * again. Of several processes the first builds and migrates, and the others find nothing left to build.
 *
 * @param listPending Those that the database lacks now.
 * @param migrate Renames them into place.
 * @param onWait Told once of everybody for whom the building waits: it has no end of its own.
 */
export async function withNextIndexes<Result>(
  databaseUrl: string,
  listPending: () => Promise<readonly NextIndex[]>,
  migrate: () => Promise<Result>,
  onWait: (sentence: string) => void = () => {},
): Promise<Result> {
  const client = await connectToMigrate(databaseUrl);
  try {
    await lock(client, onWait);
    const indexes = await listPending();
    if (indexes.length > 0)
      await whileTellingWaits(client, databaseUrl, onWait, async () => {
        for (const index of indexes) await buildIndex(client, index);
      });
    const result = await migrate();
    // A process behind a transaction pooler may have migrated meanwhile, with indexes of its own.
    for (const { name } of indexes) await client.query(`drop index concurrently if exists ${name}`);
    return result;
  } finally {
    await client.end();
  }
}

/** Any number that no other lock uses. */
const BUILDING_LOCK = 4_117_302;
const LOOK_EVERY_MS = 200;

const HAS_BUILDING_LOCK = `where a.pid in (select pid from pg_locks where locktype = 'advisory' and granted and objid = $1
  and database = (select oid from pg_database where datname = current_database()))`;

/** Until the session ends. A concurrent build waits for every statement under way, so nobody waits for the lock in a statement. */
async function lock(client: pg.Client, onWait: (sentence: string) => void): Promise<void> {
  const text = 'select pg_try_advisory_lock($1) as "isMine"';
  for (let attempt = 1; !(await client.query<{ isMine: boolean }>(text, [BUILDING_LOCK])).rows[0]?.isMine; attempt++) {
    const [holder] = attempt === 1 ? await listSessions(client, HAS_BUILDING_LOCK, [BUILDING_LOCK]) : [];
    if (holder) onWait(`Another session builds the indexes of the migrations (${describeSession(holder)}) …`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Longer than a usual transaction takes: those for whom the building waits all the same are worth a sentence. */
const TELL_AFTER_MS = 1_000;

/** A build waits for each transaction that began before it, a backup too, and starts again with the next index. */
async function whileTellingWaits(
  client: pg.Client,
  databaseUrl: string,
  onWait: (sentence: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const isDone = new AbortController();
  const telling = tellWaits({ pid: rows[0]?.pid, databaseUrl, onWait, signal: isDone.signal }).catch(() => {});
  await work().finally(async () => {
    isDone.abort();
    await telling;
  });
}

interface Watch {
  /** Of the session that builds. */
  readonly pid: number | undefined;
  readonly databaseUrl: string;
  readonly onWait: (sentence: string) => void;
  readonly signal: AbortSignal;
}

async function tellWaits({ pid, databaseUrl, onWait, signal }: Watch): Promise<void> {
  const client = await connectToMigrate(databaseUrl);
  try {
    const told = new Set<number>();
    for (let before = new Set<number>(); !signal.aborted; ) {
      const awaited = await listSessions(client, 'where a.pid = any (pg_blocking_pids($1))', [pid]);
      const unknown = awaited.filter((session) => before.has(session.pid) && !told.has(session.pid));
      for (const session of unknown) {
        told.add(session.pid);
        onWait(
          `The building of an index waits for a transaction that began before it (${describeSession(session)}); others write meanwhile …`,
        );
      }
      before = new Set(awaited.map((session) => session.pid));
      await sleep(TELL_AFTER_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await client.end();
  }
}

const UNFINISHED = `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relname = any ($1::text[]) and not i.indisvalid and pg_table_is_visible(i.indrelid)`;

/**
 * In the transaction of a migration, before its statements: of an attempt that ended in the middle an index may be left that holds some
 * rows only and refuses none. The migration then builds it.
 */
export async function dropUnfinished(client: pg.Client, indexes: readonly NextIndex[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(UNFINISHED, [indexes.map(({ name }) => name)]);
  for (const { name } of rows) await client.query(`drop index ${name}`);
}

const UNDEFINED_COLUMN = '42703';

/**
 * A missing table, after a first start that was interrupted, has no rows to wait for. When an earlier migration adds a missing column,
 * the migration itself builds the index.
 */
async function buildIndex(client: pg.Client, { name, table, text }: NextIndex): Promise<void> {
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [table]);
  if (rowCount === 0) return;
  const { rows } = await client.query<{ isValid: boolean }>(
    'select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  if (rows[0]?.isValid) return;
  if (rows[0]) await client.query(`drop index concurrently ${name}`);
  await client.query(text).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== UNDEFINED_COLUMN) throw error;
  });
}
