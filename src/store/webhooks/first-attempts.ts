import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { isRow, rowOf, run, type Statement } from '../query.ts';
import type { Attempt } from './attempt.ts';
import { CLEARED } from './endpoint-health.ts';

/**
 * Whether an attempt is recorded in its delivery if it succeeds: the first one of a delivery that was created for an event. All others
 * are rows of `delivery_attempt`.
 */
export function isFirstAttempt({ claimed: { lease, attempts, trigger } }: Attempt): boolean {
  return lease === 1n && attempts === 0 && trigger === 'event';
}

const KEY = { partnerId: 'r.partner_id', key: 'delivery_id', value: 'r.delivery_id' };
const deliveryOfRow = rowOf('delivery', KEY);

/** SQL: whether the delivery of `r` has the attempt in its own row. */
export const IS_RECORDED_FIRST = `(r.number = 1 and exists (select from ${deliveryOfRow} d where d.first_started_at is not null))`;

/** SQL: the endpoints of these rows have no failures any more. */
export function clearedOf(rows: string): string {
  return `update endpoint_health h set ${CLEARED}
      from (select distinct partner_id, endpoint_id from ${rows} order by 1, 2) a
      where h.partner_id = a.partner_id and h.endpoint_id = a.endpoint_id and h.failing_since is not null`;
}

const ROWS = `unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::int4[], $6::int4[], $7::text[], $8::timestamptz[])
      as r (partner_id, delivery_id, endpoint_id, started_at, milliseconds, status, excerpt, ended_at)`;

/** Failures of an endpoint end here: few have any, so that few rows are locked; in the same order everywhere, so that two processes never deadlock. */
const FAILING = isRow({
  partnerId: 'a.partner_id',
  key: 'endpoint_id',
  value: 'a.endpoint_id',
  condition: 'failing_since is not null',
});

/**
 * Rows are updated by their places: a join by their keys, planned while the table was small, could read all of it, and planning it anew for
 * each batch takes a large part of its time. A delivery that another transaction changes in this moment has another place then: its attempt is
 * logged, as one whose lease was lost. The status of a delivery that was handed over does not change, so that the new version stays in its
 * page and no index gets an entry.
 */
const RECORD_FIRST: Statement = {
  name: 'record_first_successes',
  text: `with ended as (
      update delivery d set attempts = 1, attempts_left = d.attempts_left - 1, ended_at = greatest(r.ended_at, ${NOW}),
        status = case d.status when 'handed_over' then d.status else 'delivered' end, first_started_at = r.started_at,
        first_milliseconds = r.milliseconds, first_status = r.status, first_excerpt = r.excerpt
      from ${ROWS} cross join lateral (select ctid as place from delivery where ${isRow(KEY)}) found
      where d.ctid = found.place and d.lease = 1 and d.attempts = 0 and d.status in ('waiting', 'handed_over')
      returning d.partner_id, d.delivery_id, d.endpoint_id
    ), logged as (
      insert into delivery_attempt (partner_id, delivery_id, number, endpoint_id, trigger, started_at, milliseconds, status, excerpt)
      select partner_id, delivery_id, number, endpoint_id, 'event', started_at, milliseconds, status, excerpt
      from (select 1::int8 as number, r.* from ${ROWS}) r
      where case when (r.partner_id, r.delivery_id) in (select partner_id, delivery_id from ended) then false
        else not ${IS_RECORDED_FIRST} end
      on conflict do nothing
      returning partner_id, endpoint_id
    ), cleared as (
      update endpoint_health h set ${CLEARED}
      from (
        select place from (
          select distinct partner_id, endpoint_id from (
            select partner_id, endpoint_id from ended union all select partner_id, endpoint_id from logged
          ) added order by 1, 2
        ) a cross join lateral (select ctid as place from endpoint_health where ${FAILING} for update) locked
      ) failing
      where h.ctid = failing.place
    )
    select where false`,
};

/**
 * Records first attempts that succeeded: each in the row of its delivery. When the lease was lost meanwhile the attempt is logged, and
 * changes nothing else. Recording one again changes nothing. Not on a distributed database.
 */
export async function recordFirstSuccesses(db: Queryable, attempts: readonly Attempt[]): Promise<void> {
  const column = (value: (attempt: Attempt) => unknown) => attempts.map(value);
  await run(db, RECORD_FIRST, [
    column(({ claimed }) => claimed.partnerId),
    column(({ claimed }) => claimed.deliveryId),
    column(({ claimed }) => claimed.endpointId),
    column(({ startedAt }) => startedAt),
    column(({ milliseconds }) => milliseconds),
    column(({ status }) => status),
    column(({ excerpt }) => excerpt),
    column(({ endedAt }) => endedAt),
  ]);
}
