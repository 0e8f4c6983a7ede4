import type { Queryable } from '../database.ts';
import type { OfAllPartners } from '../node-reader.ts';
import { ONE_BY_ONE, run, type Statement } from '../query.ts';
import { IS_NOT_REMOVED } from '../webhooks/webhook-endpoint.ts';

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
function rangeAfter(snapshot: string): OutboxRange {
  const [, xmax = '0', underWay = ''] = snapshot.split(':');
  const transactions = underWay === '' ? [] : underWay.split(',');
  return { from: transactions[LATE_MAX] ?? xmax, late: transactions.slice(0, LATE_MAX) };
}

const PARTNERS_WITH_UNSEQUENCED: Statement = {
  name: 'list_partners_with_unsequenced_events',
  text: `select pg_current_snapshot()::text as snapshot, array(
      select p.partner_id from partner p
      where exists (select from event_outbox o where o.partner_id = p.partner_id and o.written_by >= $1::xid8 ${ONE_BY_ONE})
        or exists (select from event_outbox o where o.partner_id = p.partner_id and o.written_by = any ($2::xid8[]) ${ONE_BY_ONE})
    ) as "partnerIds"`,
};

/** Partners of a distributed database with events that have no sequence yet. Its nodes' transactions are not comparable: there is no range. */
export const UNSEQUENCED_ON_NODES: OfAllPartners = {
  name: 'list_partners_with_unsequenced_events_anywhere',
  write: (ofPartners) => `select partner_id as "partnerId" from event_counter c
    where ${ofPartners('c.partner_id')}
      and exists (select from event_outbox o where ${ofPartners('o.partner_id')} and o.partner_id = c.partner_id)`,
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
        select from webhook_endpoint e where e.partner_id = w.partner_id and ${IS_NOT_REMOVED}
      ) as has_endpoint from (select distinct partner_id from waiting) w
    )
    select pg_current_snapshot()::text as snapshot, (select count(*) from waiting)::int4 as found,
      array(select partner_id from found) as "partnerIds", array(select partner_id from found where not has_endpoint) as "withoutEndpointIds"`,
};

export interface UnsequencedEvents extends Unsequenced {
  /** Partners among them who have no endpoint: their events are fetched, and sent nowhere. */
  readonly withoutEndpointIds: readonly string[];
  /** No other partner has any. */
  readonly isAll: boolean;
}

/**
 * Partners of the oldest events in the range that have no sequence yet. Costs as much as there are such events, `limit` at most, and nothing
 * for any other partner.
 */
export async function findUnsequencedEvents(
  db: Queryable,
  { from, late }: OutboxRange,
  limit: number,
): Promise<UnsequencedEvents> {
  type Row = Pick<UnsequencedEvents, 'partnerIds' | 'withoutEndpointIds'> & { readonly snapshot: string; readonly found: number };
  const [{ snapshot, found, ...partners }] = (await run<Row>(db, FIND_UNSEQUENCED, [from, late, limit])) as [Row];
  return { ...partners, next: rangeAfter(snapshot), isAll: found < limit };
}

/** All partners with events in the range that have no sequence yet, including those whose counter is missing. Reads every partner. */
export async function listPartnersWithUnsequencedEvents(db: Queryable, { from, late }: OutboxRange): Promise<Unsequenced> {
  const rows = await run<{ snapshot: string; partnerIds: string[] }>(db, PARTNERS_WITH_UNSEQUENCED, [from, late]);
  const [{ snapshot, partnerIds }] = rows as [{ snapshot: string; partnerIds: string[] }];
  return { partnerIds, next: rangeAfter(snapshot) };
}

const OF_PARTNERS = 'partner_id = any ($3::text[])';
const OLDEST = 'select ctid as place, partner_id, written_by, position from event_outbox where';

/**
 * SQL: no transaction has changed the row of `event_counter` since the statement's snapshot. For a statement that locks the row and reads the
 * endpoints too: it reads those of its snapshot, which may be older than the lock. When it finds the row changed, it checks this
 * condition again, for the new place and with the places of its snapshot. No index serves the condition: a scan by places would not check it again.
 *
 * @param isOfPartners SQL for the rows that the statement locks.
 */
export const isUnchangedCounter = (isOfPartners: string) =>
  `(ctid = any (array(select ctid from event_counter where ${isOfPartners}))) is true`;

const takingOf = (isFree: string) => `oldest as materialized (
      select place, partner_id from (
        (${OLDEST} written_by = any ($2::xid8[]) order by written_by, position limit $4)
        union all
        (${OLDEST} written_by >= $1::xid8 order by written_by, position limit $4)
      ) unsequenced order by written_by, position limit $4
    ), counter as materialized (
      select ctid as place, partner_id, last_sequence from event_counter where ${OF_PARTNERS} and ${isFree} for update skip locked
    ), taken as (
      delete from event_outbox where ctid = any (array(
        select place from oldest where partner_id = any (array(select partner_id from counter))
      ))
      returning *
    )`;

/**
 * `oldest`, `counter` and `taken`: the oldest events of these partners whose counters are free, taken from the outbox. The range
 * is $1 and $2, the partners are $3, and at most $4 events are taken.
 */
export const TAKING = takingOf('true');

/** The same of partners for whom {@link isUnchangedCounter} is true. */
export const TAKING_UNCHANGED = takingOf(isUnchangedCounter(OF_PARTNERS));
