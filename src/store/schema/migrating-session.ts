import pg from 'pg';
import { startUpOf } from '../session-settings.ts';

/** A file and an index may take as long as they need. */
const WITHOUT_LIMIT = ['statement_timeout=0', 'lock_timeout=0'];

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
  return client;
}

interface Session {
  readonly pid: number;
  readonly program: string | null;
  /** Since the beginning of its transaction; `null` where the role may not see it. */
  readonly seconds: number | null;
}

/** Who an operator may look for in `pg_stat_activity`, such as `process 4711 pg_dump, open for 90 s`. */
export function describeSession({ pid, program, seconds }: Session): string {
  const since = seconds === null ? '' : `, open for ${seconds} s`;
  return `process ${[pid, program].filter(Boolean).join(' ')}${since}`;
}

/**
 * The sessions of a condition over `pg_stat_activity a`, the one whose transaction is oldest first. A role without `pg_read_all_stats` sees
 * which process of another role it is, and not since when.
 */
export async function listSessions(client: pg.Client, from: string, values: readonly unknown[] = []): Promise<Session[]> {
  const { rows } = await client.query<Session>(
    `select a.pid, nullif(a.application_name, '') as program, extract(epoch from now() - a.xact_start)::int as seconds
      from pg_stat_activity a ${from} order by a.xact_start`,
    [...values],
  );
  return rows;
}
