import type { Queryable } from '../database.ts';
import type { Ask, NodeReader, OfAllPartners } from '../node-reader.ts';
import { runAnew, type Statement } from '../query.ts';
import { deliveriesOf } from '../webhooks/delivery.ts';

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

/** So many deliveries go at once. An event that has more keeps until the rest of them are gone. */
const DELIVERIES_AT_ONCE = 10_000;
const DELIVERIES = deliveriesOf({ partnerId: '$1', eventId: 'o.event_id', condition: 'true' });

/**
 * SQL for `with`: the first events that are old, their first deliveries, which each event finds by their key, and those events of which no
 * other delivery is left.
 */
const OLD = `old as materialized (
      select event_id, sequence
      from (select event_id, sequence, occurred_at from event where partner_id = $1 order by sequence limit $3) first
      where occurred_at < now() - $2 * interval '1 day'
    ), found as materialized (
      select o.sequence, d.delivery_id from (select event_id, sequence from old order by sequence) o cross join lateral ${DELIVERIES} d
      order by o.sequence limit ${DELIVERIES_AT_ONCE}
    ), whole as materialized (
      select sequence from old
      where (select count(*) from found) < ${DELIVERIES_AT_ONCE} or sequence < (select max(sequence) from found)
    )`;
/** SQL with {@link OLD}: whether more may be left. */
const IS_PARTIAL = `(select count(*) from old) = $3::int8 or (select count(*) from found) = ${DELIVERIES_AT_ONCE}`;

/**
 * The oldest come first in the order of their sequence, so that one page shows whether any is old. A confirmation that no settlement has
 * closed over yet keeps a reference: a settlement finds its contributions by their events.
 */
const DELETE_EVENTS: Statement = {
  name: 'delete_old_events',
  text: `with ${OLD}, removed as (
      delete from event where partner_id = $1 and sequence = any (array(select sequence from whole))
      returning event_type, subject_id, sequence
    ), marked as (
      insert into settlement_candidate (partner_id, transaction_id, sequence)
      select $1, r.subject_id, r.sequence from removed r
      where r.event_type = 'impact.transaction.confirmed'
        and r.sequence > (select coalesce(min(follows_event), 0) from settlement where partner_id = $1 and status = 'open')
      on conflict do nothing
      returning 1
    ), delivered as (
      delete from delivery where partner_id = $1 and delivery_id = any (array(select delivery_id from found)) returning 1
    ), attempted as (
      delete from delivery_attempt where partner_id = $1 and delivery_id = any (array(select delivery_id from found)) returning 1
    )
    select (select count(*) from removed) as removed, ${IS_PARTIAL} as "isPartial", (select count(*) from delivered) as deliveries,
      (select count(*) from attempted) as attempts, (select count(*) from marked) as marked`,
};

const LIST_OLD_ON_NODE: Statement = {
  name: 'list_old_events_on_node',
  text: `with ${OLD}
    select array(select sequence from whole) as sequences, array(select delivery_id from found) as "deliveryIds", ${IS_PARTIAL} as "isPartial"`,
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
      delete from event where partner_id = $1 and sequence = any ($2::int8[]) returning 1
    ), delivered as (
      delete from delivery where partner_id = $1 and delivery_id = any ($3::text[]) returning 1
    ), attempted as (
      delete from delivery_attempt where partner_id = $1 and delivery_id = any ($3::text[]) returning 1
    )
    select (select count(*) from removed) as removed, (select count(*) from delivered) as deliveries,
      (select count(*) from attempted) as attempts`,
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
    select (select count(*) from removed) as removed, (select count(*) from removed) = $3::int8 as "isPartial",
      (select count(*) from attempted) as attempts`,
};

interface PartnerRow {
  readonly partnerId: string;
}

/** Lists the partners whose first event is older than so many days, in no order. */
export async function listPartnersWithOldEvents(nodes: NodeReader, days: number, ask?: Ask<PartnerRow>): Promise<string[]> {
  return (await nodes.read<PartnerRow>(LIST_WITH_EVENTS, [days], ask)).map(({ partnerId }) => partnerId);
}

/** Lists the partners with deliveries of tests and samples that are older than so many days, in no order. */
export async function listPartnersWithOldTests(nodes: NodeReader, days: number, ask?: Ask<PartnerRow>): Promise<string[]> {
  return (await nodes.read<PartnerRow>(LIST_WITH_TESTS, [days], ask)).map(({ partnerId }) => partnerId);
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
 * @returns How many events were removed, `limit` at most; fewer, also none, where they have many deliveries, of which a part was removed.
 */
export function deleteOldEvents(db: Queryable, partnerId: string, old: Old): Promise<Removed> {
  return remove(db, DELETE_EVENTS, partnerId, old);
}

/**
 * Like {@link deleteOldEvents}, of a distributed database and in a transaction: each statement is one of the partner's node alone. In one
 * statement the rows that it marks would go by way of every node.
 */
export async function deleteOldEventsOnNode(db: Queryable, partnerId: string, { days, limit }: Old): Promise<Removed> {
  const [old] = await runAnew<OldOnNode>(db, LIST_OLD_ON_NODE, [partnerId, days, limit]);
  if (!old || old.sequences.length + old.deliveryIds.length === 0) return { count: 0, isPartial: false };
  await runAnew(db, MARK_ON_NODE, [partnerId, old.sequences]);
  const [row] = await runAnew<{ removed: bigint }>(db, DELETE_ON_NODE, [partnerId, old.sequences, old.deliveryIds]);
  return removedBy(row && { ...row, isPartial: old.isPartial });
}

interface OldOnNode {
  readonly sequences: unknown[];
  readonly deliveryIds: unknown[];
  readonly isPartial: boolean;
}

/**
 * Removes old deliveries of tests and samples of a partner, with their attempts.
 *
 * @returns How many were removed, `limit` at most.
 */
export function deleteOldTests(db: Queryable, partnerId: string, old: Old): Promise<Removed> {
  return remove(db, DELETE_TESTS, partnerId, old);
}

interface RemovedRow {
  readonly removed: bigint;
  readonly isPartial: boolean;
}

async function remove(db: Queryable, statement: Statement, partnerId: string, { days, limit }: Old): Promise<Removed> {
  const [row] = await runAnew<RemovedRow>(db, statement, [partnerId, days, limit]);
  return removedBy(row);
}

function removedBy(row: RemovedRow | undefined): Removed {
  return { count: Number(row?.removed ?? 0n), isPartial: row?.isPartial ?? false };
}
