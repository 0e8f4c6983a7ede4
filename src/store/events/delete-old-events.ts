import type { Queryable } from '../database.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { runAnew, type Statement } from '../query.ts';
import { deliveryIdOf } from '../webhooks/delivery.ts';

/** The first of each partner: the table of the counters has a row of every partner, and stands where its events do. */
const LIST_WITH_EVENTS: OfAllPartners = {
  name: 'list_partners_with_old_events',
  write: (ofPartners) => `select c.partner_id as "partnerId" from event_counter c cross join lateral (
      select occurred_at from event where partner_id = c.partner_id and ${ofPartners('partner_id')} order by sequence limit 1
    ) first
    where ${ofPartners('c.partner_id')} and first.occurred_at < now() - $1 * interval '1 day'`,
};

/** Reads the deliveries of tests and samples of every partner, by their index. */
const LIST_WITH_TESTS: OfAllPartners = {
  name: 'list_partners_with_old_tests',
  write: (ofPartners) => `select distinct partner_id as "partnerId" from delivery
    where ${ofPartners('partner_id')} and sequence is null and created_at < now() - $1 * interval '1 day'`,
  isPlannedAnew: true,
};

/**
 * SQL: how many events go at once, for {@link WITH_DELIVERIES}, which asks for a delivery of each event at each endpoint that the partner
 * ever had.
 */
const SIZE = `(select least($3::int8, greatest(1, 25000 / greatest(1, count(*)))) from webhook_endpoint where partner_id = $1)`;

/** Deletes the deliveries of the events in `removed`, and their attempts. */
const WITH_DELIVERIES = `delivered as (
      delete from delivery d where d.partner_id = $1 and d.delivery_id = any (array(
        select ${deliveryIdOf('r.event_id', 'e.endpoint_id')} from removed r cross join webhook_endpoint e where e.partner_id = $1
      ))
      returning d.delivery_id
    ), attempted as (
      delete from delivery_attempt where partner_id = $1 and delivery_id = any (array(select delivery_id from delivered)) returning 1
    )`;

/**
 * The oldest come first in the order of their sequence, so that one page shows whether any is old. A confirmation that no settlement has
 * closed over yet keeps a reference: a settlement finds its contributions by their events.
 */
const DELETE_EVENTS: Statement = {
  name: 'delete_old_events',
  text: `with oldest as (
      select sequence, occurred_at from event where partner_id = $1 order by sequence limit ${SIZE}
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
    ), ${WITH_DELIVERIES}
    select (select count(*) from removed) as removed, ${SIZE} as size, (select count(*) from attempted) as attempts,
      (select count(*) from marked) as marked`,
};

const LIST_OLD_ON_NODE: Statement = {
  name: 'list_old_events_on_node',
  text: `select array(
      select sequence from (select sequence, occurred_at from event where partner_id = $1 order by sequence limit ${SIZE}) oldest
      where occurred_at < now() - $2 * interval '1 day'
    ) as sequences, ${SIZE} as size`,
};

const MARK_ON_NODE: Statement = {
  name: 'mark_old_events_on_node',
  text: `insert into settlement_candidate (partner_id, transaction_id, sequence)
    select partner_id, subject_id, sequence from event
    where partner_id = $1 and sequence = any ($2::int8[]) and event_type = 'impact.transaction.confirmed'
      and sequence > (select coalesce(min(follows_event), 0) from settlement where partner_id = $1 and status = 'open')
    on conflict do nothing returning 1`,
};

const DELETE_ON_NODE: Statement = {
  name: 'delete_old_events_on_node',
  text: `with removed as (
      delete from event where partner_id = $1 and sequence = any ($2::int8[]) returning event_id
    ), ${WITH_DELIVERIES}
    select (select count(*) from removed) as removed, (select count(*) from attempted) as attempts`,
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
    select (select count(*) from removed) as removed, $3::int8 as size, (select count(*) from attempted) as attempts`,
};

/** Lists the partners whose first event is older than so many days, in no order. */
export async function listPartnersWithOldEvents(nodes: NodeReader, days: number): Promise<string[]> {
  return (await nodes.read<{ partnerId: string }>(LIST_WITH_EVENTS, [days])).map(({ partnerId }) => partnerId);
}

/** Lists the partners with deliveries of tests and samples that are older than so many days, in no order. */
export async function listPartnersWithOldTests(nodes: NodeReader, days: number): Promise<string[]> {
  return (await nodes.read<{ partnerId: string }>(LIST_WITH_TESTS, [days])).map(({ partnerId }) => partnerId);
}

interface Old {
  /** Older than so many days. */
  readonly days: number;
  readonly limit: number;
}

/** What one statement removes. */
export interface Removed {
  readonly count: number;
  /** Whether more may be left. */
  readonly isPartial: boolean;
}

/**
 * Removes old events of a partner, with their deliveries and attempts.
 *
 * @returns How many were removed, `limit` at most, and fewer of a partner with many endpoints.
 */
export function deleteOldEvents(db: Queryable, partnerId: string, old: Old): Promise<Removed> {
  return remove(db, DELETE_EVENTS, partnerId, old);
}

/**
 * Like {@link deleteOldEvents}, of a distributed database and in a transaction: each statement is one of the partner's node alone. In one
 * statement the rows that it marks would go by way of every node.
 */
export async function deleteOldEventsOnNode(db: Queryable, partnerId: string, { days, limit }: Old): Promise<Removed> {
  const [old] = await runAnew<{ sequences: unknown[]; size: bigint }>(db, LIST_OLD_ON_NODE, [partnerId, days, limit]);
  if (!old || old.sequences.length === 0) return { count: 0, isPartial: false };
  await runAnew(db, MARK_ON_NODE, [partnerId, old.sequences]);
  const [row] = await runAnew<{ removed: bigint }>(db, DELETE_ON_NODE, [partnerId, old.sequences]);
  return removedBy(row && { ...row, size: old.size });
}

/**
 * Removes old deliveries of tests and samples of a partner, with their attempts.
 *
 * @returns How many were removed, `limit` at most.
 */
export function deleteOldTests(db: Queryable, partnerId: string, old: Old): Promise<Removed> {
  return remove(db, DELETE_TESTS, partnerId, old);
}

async function remove(db: Queryable, statement: Statement, partnerId: string, { days, limit }: Old): Promise<Removed> {
  const [row] = await runAnew<{ removed: bigint; size: bigint }>(db, statement, [partnerId, days, limit]);
  return removedBy(row);
}

function removedBy(row: { readonly removed: bigint; readonly size: bigint } | undefined): Removed {
  return { count: Number(row?.removed ?? 0n), isPartial: row !== undefined && row.removed === row.size };
}
