import { NOW } from '../bulk-rows.ts';
import type { Database, Queryable } from '../database.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';
import { deliveryIdOf } from '../webhooks/delivery.ts';

/**
 * The transactions whose events may have no sequence: `late`, which are all below `from`, and `from` and later ones. Numbers of
 * transactions (xid8), as text.
 */
export interface OutboxRange {
  readonly from: string;
  readonly late: readonly string[];
}

export const WHOLE_OUTBOX: OutboxRange = { from: '0', late: [] };

/** Long transactions are listed; there are few of them at a time. */
const LATE_MAX = 4;

/**
 * The range that remains after every event that a snapshot showed has its sequence: a transaction that had ended has written all of its
 * events, so that only those under way, or not begun, are left. Valid for the server and the session of the snapshot: a server that
 * replaces it may assign the same numbers again.
 *
 * @param snapshot `xmin:xmax:xip,…`, as `pg_current_snapshot()` writes it.
 */
export function rangeAfter(snapshot: string): OutboxRange {
  const [, xmax = '0', underWay = ''] = snapshot.split(':');
  const transactions = underWay === '' ? [] : underWay.split(',');
  return { from: transactions[LATE_MAX] ?? xmax, late: transactions.slice(0, LATE_MAX) };
}

const PARTNERS_WITH_UNNUMBERED: Statement = {
  name: 'list_partners_with_unsequenced_events',
  text: `select pg_current_snapshot()::text as snapshot, array(
      select p.partner_id from partner p
      where exists (select from event_outbox o where o.partner_id = p.partner_id and o.written_by >= $1::xid8 ${ONE_BY_ONE})
        or exists (select from event_outbox o where o.partner_id = p.partner_id and o.written_by = any ($2::xid8[]) ${ONE_BY_ONE})
    ) as "partnerIds"`,
};

/** Nodes have their own transactions, which are not comparable. */
const PARTNERS_WITH_UNNUMBERED_ANYWHERE: Statement = {
  name: 'list_partners_with_unsequenced_events_anywhere',
  text: `select partner_id as "partnerId" from event_counter c
    where exists (select from event_outbox o where o.partner_id = c.partner_id)`,
};

export interface Unsequenced {
  readonly partnerIds: readonly string[];
  /** The range of every other partner's next event. */
  readonly next: OutboxRange;
}

const WAITING = 'select partner_id from event_outbox where';
const FIND_UNSEQUENCED: Statement = {
  name: 'find_unsequenced_events',
  text: `with waiting as materialized (
      (${WAITING} written_by = any ($2::xid8[]) order by written_by, position limit $3)
      union all
      (${WAITING} written_by >= $1::xid8 order by written_by, position limit $3)
    ), found as materialized (
      select partner_id, exists (
        select from webhook_endpoint e where e.partner_id = w.partner_id and e.status <> 'removed'
      ) as has_endpoint from (select distinct partner_id from waiting) w
    )
    select pg_current_snapshot()::text as snapshot, (select count(*) from waiting)::int4 as found,
      array(select partner_id from found) as "partnerIds", array(select partner_id from found where not has_endpoint) as "withoutEndpointIds"`,
};

export interface Found extends Unsequenced {
  /** Partners among them who have no endpoint: their events are fetched, and sent nowhere. */
  readonly withoutEndpointIds: readonly string[];
  /** No other partner has any. */
  readonly isAll: boolean;
}

/**
 * Partners of the oldest events in the range that have no number yet. Costs as much as there are such events, `limit` at most, and nothing
 * for any other partner. On a distributed database all partners are looked at.
 */
export async function findUnsequencedEvents(
  db: Queryable,
  database: Pick<Database, 'isDistributed'>,
  { from, late }: OutboxRange,
  limit: number,
): Promise<Found> {
  if (database.isDistributed)
    return { ...(await listPartnersWithUnsequencedEvents(db, database, { from, late })), withoutEndpointIds: [], isAll: true };
  type Row = Pick<Found, 'partnerIds' | 'withoutEndpointIds'> & { readonly snapshot: string; readonly found: number };
  const [{ snapshot, found, ...partners }] = (await run<Row>(db, FIND_UNSEQUENCED, [from, late, limit])) as [Row];
  return { ...partners, next: rangeAfter(snapshot), isAll: found < limit };
}

/** All partners with events in the range that have no sequence yet, including those whose counter is missing. Reads every partner. */
export async function listPartnersWithUnsequencedEvents(
  db: Queryable,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  { from, late }: OutboxRange,
): Promise<Unsequenced> {
  if (isDistributed) {
    const rows = await run<{ partnerId: string }>(db, PARTNERS_WITH_UNNUMBERED_ANYWHERE, []);
    return { partnerIds: rows.map(({ partnerId }) => partnerId), next: WHOLE_OUTBOX };
  }
  const rows = await run<{ snapshot: string; partnerIds: string[] }>(db, PARTNERS_WITH_UNNUMBERED, [from, late]);
  const [{ snapshot, partnerIds }] = rows as [{ snapshot: string; partnerIds: string[] }];
  return { partnerIds, next: rangeAfter(snapshot) };
}

const oldestBy = (place: string) =>
  `select ${place} as place, written_by, position from event_outbox where partner_id = $1 and exists (select from counter)`;

const assignSequencesBy = (name: string, place: string, isOldest: string): Statement => ({
  name,
  text: `with counter as materialized (
      select last_sequence from event_counter where partner_id = $1 for update skip locked
    ), oldest as materialized (
      select place, written_by from (
        (${oldestBy(place)} and written_by = any ($5::xid8[]) order by written_by, position limit $2)
        union all
        (${oldestBy(place)} and written_by >= $4::xid8 order by written_by, position limit $2)
      ) unsequenced order by written_by, position limit $2
    ), taken as (
      delete from event_outbox where ${isOldest}
      returning *
    ), numbered as (
      insert into event (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data)
      select partner_id, last_sequence + row_number() over (order by position), event_id, event_type, subject_id, correlation_id,
        occurred_at, data
      from taken cross join counter
      returning partner_id, sequence, event_id, event_type
    ), delivered as (
      insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, created_at)
      select e.partner_id, ${deliveryIdOf('n.event_id', 'e.endpoint_id')}, e.endpoint_id, n.event_id, n.sequence,
        n.event_type, 'event', 'waiting', $3, ${NOW}, ${NOW}
      from numbered n join webhook_endpoint e on e.partner_id = $1 and e.status <> 'removed'
        and (e.event_types = '{}' or n.event_type = any (e.event_types))
      returning 1
    ), counted as (
      update event_counter set last_sequence = last_sequence + (select count(*) from numbered)
      where partner_id = $1 and exists (select from numbered)
      returning 1
    )
    select (select count(*) from delivered)::int4 as deliveries, (select count(*) from numbered)::int4 as numbered,
      (select count(*) from counted),
      (select count(*) from counter) = 1 and (select count(*) from oldest) < $2 as "isComplete",
      (select count(*) from oldest) = $2 as "isFull"`,
});

/**
 * Numbers the oldest events of the outbox, in the order of their transactions and positions, and makes a delivery of each for every
 * endpoint that wants it. What began after another had committed has the higher transaction, and the higher position. The
 * counter's row is held meanwhile, so that there is one numbering at a time and no number is left out; who finds it held leaves the
 * partner to its holder.
 *
 * The rows are taken by their places, which nothing changes as long as the statement sees them. Citus knows no places: there the part of
 * the key is read that they lie in, and nothing else is offered to the plan.
 */
const NUMBER = assignSequencesBy('assign_sequences', 'ctid', 'ctid = any (array(select place from oldest))');
const NUMBER_ANYWHERE = assignSequencesBy(
  'assign_sequences_anywhere',
  'position',
  `partner_id = $1 and position + 0 = any (array(select place from oldest))
        and written_by >= (select written_by from oldest order by written_by limit 1)
        and written_by <= (select written_by from oldest order by written_by desc limit 1)`,
);

export interface Sequenced {
  /** How many events. */
  readonly numbered: number;
  readonly deliveries: number;
  /** Every event in the range that the statement could see has its sequence. */
  readonly isComplete: boolean;
  /** As many were found as requested: there are probably more. */
  readonly isFull: boolean;
}

/** Assigns sequences to at most `limit` events of a partner. */
export async function assignSequences(
  db: Queryable,
  { isDistributed }: Pick<Database, 'isDistributed'>,
  partnerId: string,
  { limit, attemptsMax, range }: { limit: number; attemptsMax: number; range: OutboxRange },
): Promise<Sequenced> {
  const values = [partnerId, limit, attemptsMax, range.from, range.late];
  const rows = await run<Sequenced>(db, isDistributed ? NUMBER_ANYWHERE : NUMBER, values);
  return rows[0] as Sequenced;
}
