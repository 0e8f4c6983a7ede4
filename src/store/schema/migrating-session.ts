import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startUpOf, withoutTransactionTimeout } from '../session-settings.ts';

/** A file and an index may take as long as they need. */
const WITHOUT_LIMIT = ['statement_timeout=0', 'lock_timeout=0'];

/**
 * Who waits for a table delays everybody who comes later. So a migration waits for a moment, lets the others go first, and tries again;
 * not for ever, because a stranded transaction may hold the table.
 */
const TABLE_LOCK_TIMEOUT_MS = 100;
const LOCK_PAUSE_MS = 400;
const LOCK_ATTEMPTS = 120;

/**
 * PostgreSQL cancels an autovacuum of a table for which others wait longer than `deadlock_timeout`, a second by default, unless it prevents
 * the wraparound of transaction numbers; one of a large table goes on for minutes otherwise. Such a wait holds up those who write, and may
 * end one of them by a deadlock.
 */
const LONG_LOCK_TIMEOUT_MS = 1_500;
const LONG_EVERY = 20;

/** A role sees the vacuums of others, though not of which table. */
const IS_VACUUMED = 'select exists (select from pg_stat_progress_vacuum where datname = current_database()) as "isVacuumed"';

/**
 * Attempts what needs a table that others may hold, until it gets it or has waited for a minute in all.
 *
 * @param attempt Waits for this long for a table.
 * @param onFailure Throws what is no wait for a table. When it returns, there is another attempt.
 */
export async function attemptWhileLocked<Result>(
  client: pg.Client,
  attempt: (lockTimeoutMs: number) => Promise<Result>,
  onFailure: (error: unknown, number: number) => void | Promise<void>,
): Promise<Result> {
  for (let number = 1; ; number++)
    try {
      const isLong = number % LONG_EVERY === 0 && (await isVacuumed(client));
      return await attempt(isLong ? LONG_LOCK_TIMEOUT_MS : TABLE_LOCK_TIMEOUT_MS);
    } catch (error) {
      await onFailure(error, number);
      if (number === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
}

async function isVacuumed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isVacuumed: boolean }>(IS_VACUUMED);
  return rows[0]?.isVacuumed === true;
}

/**
 * A distributed database applies the settings on its workers too. There a session is idle for as long as another worker works, which the
 * role's time-out would end; it ends some seconds after the coordinator's machine is gone instead. Elsewhere this has no effect.
 */
const WORKERS_TOO = `set local citus.propagate_set_commands = 'local'; set local idle_in_transaction_session_timeout = 0;
  set local tcp_keepalives_idle = 5; set local tcp_keepalives_interval = 2; set local tcp_keepalives_count = 3`;

/** Sent alone: workers get everything that is sent along with a setting. */
const OWN_TIMEOUTS = `select set_config(name, reset_val, true), ${withoutTransactionTimeout(true)}
  from pg_settings where name = 'idle_in_transaction_session_timeout'`;

interface LockedOptions {
  /** Of an advisory lock. */
  readonly lock: string;
  /** Of the transaction, `set local …; set local …`. */
  readonly settings: string;
  /** What is said when another process has had the lock for an hour. */
  readonly busy: string;
}

/** A file may take long, and so may what another process does under the same lock. */
const LOCK_WITHIN_MS = 3_600_000;
const LOOK_EVERY_MS = 200;

/**
 * Works in a transaction that may take as long as it needs, as the only one with its lock. Nobody waits for the lock in a statement: an
 * index that is built beside the writers waits for every statement under way.
 */
export async function inLockedTransaction<Result>(
  client: pg.Client,
  { lock, settings, busy }: LockedOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const text = 'select pg_try_advisory_xact_lock($1) as "isMine"';
  for (const endsAtMs = performance.now() + LOCK_WITHIN_MS; performance.now() < endsAtMs; await sleep(LOOK_EVERY_MS))
    try {
      await client.query(`begin; ${WORKERS_TOO}; set local statement_timeout = 0; ${settings}`);
      await client.query(OWN_TIMEOUTS);
      const { rows } = await client.query<{ isMine: boolean }>(text, [lock]);
      const done = rows[0]?.isMine ? { result: await work() } : undefined;
      await client.query('commit');
      if (done) return done.result;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  throw new Error(busy);
}

export interface SessionOptions {
  /** A transaction pooler is in front of the database: it accepts no settings at the start, so those of the role are in effect. */
  readonly isPooled?: boolean;
  /** Further settings, `name=value`. */
  readonly settings?: readonly string[];
}

/**
 * A connection of a process that migrates, with the settings of every session of the service: when the process or its machine is gone, the
 * session ends within seconds, in the middle of a statement too, and nobody waits for what it locked.
 */
export async function connectToMigrate(
  databaseUrl: string,
  { isPooled = false, settings = [] }: SessionOptions = {},
): Promise<pg.Client> {
  const start = isPooled ? { databaseUrl } : startUpOf(databaseUrl, [...WITHOUT_LIMIT, ...settings]);
  const { databaseUrl: connectionString, ...options } = start;
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    ...options,
  });
  client.on('error', () => {});
  await client.connect();
  // An index that is built beside the writers is in no transaction that could set it.
  if (!isPooled) await client.query(`select ${withoutTransactionTimeout(false)}`);
  return client;
}

interface ServerSession {
  readonly pid: number;
  readonly program: string | null;
  /** Since the beginning of its transaction; `null` where the role may not see it. */
  readonly seconds: number | null;
}

/** Who an operator may look for in `pg_stat_activity`, such as `process 4711 pg_dump, open for 90 s`. */
export function describeSession({ pid, program, seconds }: ServerSession): string {
  const since = seconds === null ? '' : `, open for ${seconds} s`;
  return `process ${[pid, program].filter(Boolean).join(' ')}${since}`;
}

/**
 * The sessions of a condition over `pg_stat_activity a`, the one whose transaction is oldest first. A role without `pg_read_all_stats` sees
 * which process of another role it is, and not since when.
 */
export async function listSessions(client: pg.Client, from: string, values: readonly unknown[] = []): Promise<ServerSession[]> {
  const { rows } = await client.query<ServerSession>(
    `select a.pid, nullif(a.application_name, '') as program, extract(epoch from now() - a.xact_start)::int as seconds
      from pg_stat_activity a ${from} order by a.xact_start`,
    [...values],
  );
  return rows;
}
