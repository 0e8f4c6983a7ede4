import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** What the database did for the requests of a load, beside its processor time. */
export interface Flushes {
  readonly count: number;
  readonly microseconds: number;
  readonly walBytes: number;
}

/** Flushes of the write-ahead log and its bytes, since the statistics began; from PostgreSQL 18 on. */
const READ_FLUSHES = `select sum(fsyncs)::int8 as count, sum(fsync_time) * 1000 as microseconds,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::int8 as "walBytes"
  from pg_stat_io where object = 'wal' and context = 'normal'`;

export async function readFlushes(pool: pg.Pool): Promise<Flushes> {
  const { rows } = await pool.query<Flushes>(READ_FLUSHES);
  return rows[0] as Flushes;
}

/** PostgreSQL counts how long flushes take only where it is told to. */
export async function countFlushTimes(pool: pg.Pool): Promise<void> {
  await pool.query('alter system set track_wal_io_timing = on');
  await pool.query('select pg_reload_conf()');
}

export interface WaitShare {
  /** `running`, `flush`, or what PostgreSQL calls it. */
  readonly wait: string;
  readonly share: number;
}

const LOOK_EVERY_MS = 20;
const READ_WAITS = `select case when wait_event_type is null then 'running'
      when wait_event in ('WalSync', 'WALWrite', 'WalWrite') then 'flush'
      when wait_event_type in ('Lock', 'LWLock', 'BufferPin') then 'lock: ' || wait_event
      else lower(wait_event_type) || ': ' || wait_event end as wait, count(*)::int8 as count
  from pg_stat_activity where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid() group by 1`;

/**
 * Looks until it is told to end at what sessions with a statement do at that moment.
 *
 * @returns A function that ends it, and the share of each, the largest first.
 */
export function watchWaits(pool: pg.Pool): () => Promise<WaitShare[]> {
  const stop = new AbortController();
  const counts = new Map<string, number>();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      const { rows } = await pool.query<{ wait: string; count: number }>(READ_WAITS);
      for (const { wait, count } of rows) counts.set(wait, (counts.get(wait) ?? 0) + count);
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return async () => {
    stop.abort();
    await looking;
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return [...counts].map(([wait, count]) => ({ wait, share: count / all })).sort((one, other) => other.share - one.share);
  };
}
