import type { Queryable } from './database.ts';
import { runAnew, type Statement } from './query.ts';

/** A session behind which sessions of this database have waited for longer than a second. */
export interface LockHolder {
  readonly pid: number;
  readonly user: string;
  readonly application: string;
  /** Of its transaction; `null` when the role may not see it. */
  readonly seconds: number | null;
  /** The tables for which others wait, separated by commas; `null` when they wait for its transaction. */
  readonly tables: string | null;
  readonly waiting: number;
}

/** Those that wait themselves are left out: whoever holds them up is the cause. */
const LIST_LOCK_HOLDERS: Statement = {
  name: 'list_lock_holders',
  text: `select holder.pid, coalesce(holder.usename, '') as "user", holder.application_name as "application",
      extract(epoch from clock_timestamp() - holder.xact_start)::int4 as "seconds",
      string_agg(distinct wanted.relation::regclass::text, ', ') as "tables", count(distinct wanted.pid)::int4 as "waiting"
    from pg_locks wanted
      cross join lateral unnest(pg_blocking_pids(wanted.pid)) as blocking (pid)
      join pg_stat_activity holder on holder.pid = blocking.pid
    where not wanted.granted and wanted.waitstart < clock_timestamp() - interval '1 second' and holder.datname = current_database()
      and not exists (select from pg_locks own where own.pid = holder.pid and not own.granted)
    group by holder.pid, holder.usename, holder.application_name, holder.xact_start
    order by count(distinct wanted.pid) desc, holder.pid
    limit 3`,
};

export async function listLockHolders(db: Queryable): Promise<LockHolder[]> {
  return runAnew<LockHolder & Record<string, unknown>>(db, LIST_LOCK_HOLDERS, []);
}
