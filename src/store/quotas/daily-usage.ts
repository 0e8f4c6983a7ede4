import { DEFAULT_QUOTA, type PartnerQuota } from '../../domain/quotas/partner-quota.ts';
import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { run, type Statement } from '../query.ts';

/** What a partner has stored on a UTC day. */
export interface DailyUsage {
  readonly partnerId: string;
  /** About what it takes on disk, with indexes. */
  readonly storedBytes: number;
  /** Lists that were begun, whatever their result. */
  readonly lists: number;
}

const TODAY = "(now() at time zone 'UTC')::date";
const ENDS_IN_MS = `(extract(epoch from (${TODAY} + 1) - (now() at time zone 'UTC')) * 1000)::float8 as "endsInMs"`;
const COLUMNS = 'partner_id as "partnerId", stored_bytes::float8 as "storedBytes", lists';

/** A distributed database takes no function of the time in `returning`. */
const ADD: Statement = {
  name: 'add_to_daily_usage',
  text: `with added as (
      insert into daily_usage as u (partner_id, day, stored_bytes) values ($1, ${TODAY}, $2)
      on conflict (partner_id, day) do update set stored_bytes = u.stored_bytes + excluded.stored_bytes
      returning partner_id, stored_bytes, lists
    )
    select ${COLUMNS}, ${ENDS_IN_MS} from added`,
};

export interface CountedUsage extends DailyUsage {
  /** Milliseconds until the day ends, by the database's clock. */
  readonly endsInMs: number;
}

/**
 * @returns The count of all processes for the day.
 */
export async function addStoredBytes(db: Queryable, partnerId: string, bytes: number): Promise<CountedUsage> {
  const [row] = await run<CountedUsage>(db, ADD, [partnerId, bytes]);
  return row as CountedUsage;
}

/** In the order of the partners, so that two processes that add for the same ones wait for each other, and block none. */
const ADD_TOGETHER: Statement = {
  name: 'add_to_daily_usage_together',
  text: `with added as (
      insert into daily_usage as u (partner_id, day, stored_bytes)
      select partner_id, ${TODAY}, bytes from unnest($1::text[], $2::int8[]) as stored (partner_id, bytes) order by partner_id
      on conflict (partner_id, day) do update set stored_bytes = u.stored_bytes + excluded.stored_bytes
      returning partner_id, stored_bytes, lists
    )
    select ${COLUMNS}, ${ENDS_IN_MS},
      (select bytes_per_day::float8 from partner_quota q where q.partner_id = added.partner_id) as "bytesPerDay"
    from added`,
};

/**
 * Adds for several partners, each of them once, in one statement, for a database that is not distributed.
 *
 * @returns For each partner the count of all processes for the day, and its quota.
 */
export async function addStoredBytesTogether(
  db: Queryable,
  stored: readonly { readonly partnerId: string; readonly bytes: number }[],
): Promise<readonly (CountedUsage & Pick<PartnerQuota, 'bytesPerDay'>)[]> {
  const values = [stored.map(({ partnerId }) => partnerId), stored.map(({ bytes }) => bytes)];
  const rows = await run<CountedUsage & { readonly bytesPerDay: number | null }>(db, ADD_TOGETHER, values);
  return rows.map((row) => ({ ...row, bytesPerDay: row.bytesPerDay ?? DEFAULT_QUOTA.bytesPerDay }));
}

const ADD_LIST: Statement = {
  name: 'add_list_to_daily_usage',
  text: `insert into daily_usage as u (partner_id, day, lists) values ($1, ${TODAY}, 1)
    on conflict (partner_id, day) do update set lists = u.lists + 1 where u.lists < $2 returning 1`,
};

/**
 * @returns Whether one was left. The row decides, so that the limit is exact over all processes.
 */
export async function addList(db: Queryable, partnerId: string, listsPerDay: number): Promise<boolean> {
  return (await run(db, ADD_LIST, [partnerId, listsPerDay])).length > 0;
}

const FIND: Statement = {
  name: 'find_daily_usage',
  text: `select ${COLUMNS} from daily_usage where partner_id = $1 and day = ${TODAY}`,
};

/** The recorded usage of this day. */
export async function findDailyUsage(db: Queryable, partnerId: string): Promise<DailyUsage> {
  const [row] = await run<DailyUsage>(db, FIND, [partnerId]);
  return row ?? { partnerId, storedBytes: 0, lists: 0 };
}

const DELETE_OLD: OfAllPartners = {
  name: 'delete_old_daily_usage',
  write: (ofPartners) => `delete from daily_usage where ${ofPartners('partner_id')} and day < ${TODAY} - $1::int4`,
};

export async function deleteOldDailyUsage(nodes: NodeReader, days: number): Promise<void> {
  await nodes.read(DELETE_OLD, [days]);
}
