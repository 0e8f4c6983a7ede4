import type { Queryable } from '../database.ts';
import { run, runAnew, type Statement } from '../query.ts';
import { deliveryIdOf } from '../webhooks/delivery.ts';

/** The first of each partner: the table of the counters has a row of every partner, and stands where its events do. */
const LIST_WITH_EVENTS: Statement = {
  name: 'list_partners_with_old_events',
  text: `select c.partner_id as "partnerId" from event_counter c cross join lateral (
      select occurred_at from event where partner_id = c.partner_id order by sequence limit 1
    ) first
    where first.occurred_at < now() - $1 * interval '1 day'`,
};

/** Reads the deliveries of tests and samples of every partner, by their index. */
const LIST_WITH_TESTS: Statement = {
  name: 'list_partners_with_old_tests',
  text: `select distinct partner_id as "partnerId" from delivery where sequence is null and created_at < now() - $1 * interval '1 day'`,
};

/**
 * The oldest come first in the order of their sequence, so that one page shows whether any is old. A confirmation that no settlement has
 * closed over yet keeps a reference: a settlement finds its contributions by their events.
 */
const DELETE_EVENTS: Statement = {
  name: 'delete_old_events',
  text: `with oldest as (
      select sequence, occurred_at from event where partner_id = $1 order by sequence limit $3
    ), removed as (
      delete from event where partner_id = $1 and sequence = any (array(
        select sequence from oldest where occurred_at < now() - $2 * interval '1 day'
      ))
      returning event_id, event_type, subject_id, sequence
    ), marked as (
      insert into settlement_candidate (partner_id, transaction_id, sequence)
      select $1, r.subject_id, r.sequence from removed r
      where r.event_type = 'impact.transaction.confirmed'
        and r.sequence > (select coalesce(min(follows_event), 0) from settlement where partner_id = $1 and status = 'open')
      on conflict do nothing
      returning 1
    ), delivered as (
      delete from delivery d where d.partner_id = $1 and d.delivery_id = any (array(
        select ${deliveryIdOf('r.event_id', 'e.endpoint_id')} from removed r cross join webhook_endpoint e where e.partner_id = $1
      ))
      returning d.delivery_id
    ), attempted as (
      delete from delivery_attempt where partner_id = $1 and delivery_id = any (array(select delivery_id from delivered)) returning 1
    )
    select (select count(*) from removed) as removed, (select count(*) from attempted) as attempts, (select count(*) from marked) as marked`,
};

/** Deliveries of tests and samples, which have no event: their ids begin with the time of their creation. */
const DELETE_TESTS: Statement = {
  name: 'delete_old_tests',
  text: `with removed as (
      delete from delivery where partner_id = $1 and delivery_id = any (array(
        select delivery_id from delivery
        where partner_id = $1 and sequence is null and created_at < now() - $2 * interval '1 day' order by delivery_id limit $3
      ))
      returning delivery_id
    ), attempted as (
      delete from delivery_attempt where partner_id = $1 and delivery_id = any (array(select delivery_id from removed)) returning 1
    )
    select (select count(*) from removed) as removed, (select count(*) from attempted) as attempts`,
};

/** Lists the partners whose first event is older than so many days, in no order. */
export async function listPartnersWithOldEvents(db: Queryable, days: number): Promise<string[]> {
  return (await run<{ partnerId: string }>(db, LIST_WITH_EVENTS, [days])).map(({ partnerId }) => partnerId);
}

/** Lists the partners with deliveries of tests and samples that are older than so many days, in no order. */
export async function listPartnersWithOldTests(db: Queryable, days: number): Promise<string[]> {
  return (await runAnew<{ partnerId: string }>(db, LIST_WITH_TESTS, [days])).map(({ partnerId }) => partnerId);
}

interface Old {
  /** Older than so many days. */
  readonly days: number;
  readonly limit: number;
}

/**
 * Removes old events of a partner, with their deliveries and attempts.
 *
 * @returns How many were removed, `limit` at most; fewer mean that nothing old is left.
 */
export function deleteOldEvents(db: Queryable, partnerId: string, old: Old): Promise<number> {
  return remove(db, DELETE_EVENTS, partnerId, old);
}

/**
 * Removes old deliveries of tests and samples of a partner, with their attempts.
 *
 * @returns How many were removed, `limit` at most; fewer mean that nothing old is left.
 */
export function deleteOldTests(db: Queryable, partnerId: string, old: Old): Promise<number> {
  return remove(db, DELETE_TESTS, partnerId, old);
}

async function remove(db: Queryable, statement: Statement, partnerId: string, { days, limit }: Old): Promise<number> {
  const [row] = await runAnew<{ removed: bigint }>(db, statement, [partnerId, days, limit]);
  return Number(row?.removed ?? 0n);
}
