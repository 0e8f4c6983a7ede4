import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { OutboxRange } from './event-outbox.ts';

/** An event that was taken from the outbox, and the number that it gets. */
export interface TakenEvent {
  readonly partnerId: string;
  readonly sequence: bigint;
  readonly eventId: string;
  readonly eventType: string;
  readonly subjectId: string;
  readonly correlationId: string | null;
  readonly occurredAt: Date;
  readonly data: string | null;
}

const OLDEST = 'select ctid as place, partner_id, written_by, position from event_outbox where';

const TAKE: Statement = {
  name: 'take_unnumbered_events',
  text: `with oldest as materialized (
      select place, partner_id from (
        (${OLDEST} written_by = any ($2::xid8[]) order by written_by, position limit $4)
        union all
        (${OLDEST} written_by >= $1::xid8 order by written_by, position limit $4)
      ) unnumbered order by written_by, position limit $4
    ), counter as materialized (
      select partner_id, last_sequence from event_counter where partner_id = any ($3::text[]) for update skip locked
    ), taken as (
      delete from event_outbox where ctid = any (array(
        select place from oldest where partner_id = any (array(select partner_id from counter))
      ))
      returning *
    )
    select t.partner_id as "partnerId", c.last_sequence + row_number() over (partition by t.partner_id order by t.position) as sequence,
      t.event_id as "eventId", t.event_type as "eventType", t.subject_id as "subjectId", t.correlation_id as "correlationId",
      t.occurred_at as "occurredAt", t.data, f.found, array(select partner_id from counter) as "heldIds"
    from (select count(*)::int4 as found from oldest) f
      left join (taken t join counter c on c.partner_id = t.partner_id) on true
    order by t.partner_id, t.position`,
};

export interface Taken {
  readonly events: readonly TakenEvent[];
  /** Partners whose counters are held by this transaction now: nobody else numbers their events. */
  readonly heldIds: readonly string[];
  /** Nothing in the range of these partners was left over. */
  readonly isAll: boolean;
}

/**
 * Takes the oldest events of the outbox, of several partners together, in the order of their transactions and positions. The transaction
 * has to number them ({@link insertTakenEvents}) before it ends. A partner whose counter another process holds is left to it.
 */
export async function takeUnnumberedEvents(
  db: Queryable,
  { from, late }: OutboxRange,
  partnerIds: readonly string[],
  limit: number,
): Promise<Taken> {
  type Row = TakenEvent & { readonly found: number; readonly heldIds: readonly string[] };
  const rows = await run<Row>(db, TAKE, [from, late, partnerIds, limit]);
  const [{ found, heldIds }] = rows as [Row];
  return { events: rows.filter(({ eventId }) => eventId !== null), heldIds, isAll: found < limit };
}

/** A delivery of a taken event, claimed by this process or due for all. */
export interface NewDelivery {
  readonly event: TakenEvent;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly isClaimed: boolean;
}

/** No body holds a line break: JSON escapes it. To escape bodies as elements of an array would cost more than the rest. */
const BETWEEN_BODIES = '\n';

const INSERT: Statement = {
  name: 'insert_taken_events',
  text: `with numbered as (
      insert into event (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data, body)
      select partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data, nullif(body, '')
      from unnest($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[],
        string_to_array($9, E'\\n')) as e (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data, body)
    ), counted as (
      update event_counter c set last_sequence = n.last_sequence
      from unnest($10::text[], $11::int8[]) as n (partner_id, last_sequence) where c.partner_id = n.partner_id
    ), delivered as (
      insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, lease, created_at)
      select partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, 'event', 'waiting', $18,
        case lease when 0 then ${NOW} else now() + $19 * interval '1 millisecond' end, lease, ${NOW}
      from unnest($12::text[], $13::text[], $14::text[], $15::text[], $16::int8[], $17::text[], $20::int8[])
        as d (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, lease)
    )
    select now() + $19 * interval '1 millisecond' as "leaseEndsAt"`,
};

/**
 * Gives taken events their numbers, and makes their deliveries.
 *
 * @param bodyOf The text that is signed and sent, where it is wanted already.
 * @returns When the leases of the claimed deliveries end, by the database's clock.
 */
export async function insertTakenEvents(
  db: Queryable,
  events: readonly TakenEvent[],
  {
    deliveries,
    bodyOf,
    attemptsMax,
    leaseMs,
  }: {
    readonly deliveries: readonly NewDelivery[];
    readonly bodyOf: (event: TakenEvent) => string | undefined;
    readonly attemptsMax: number;
    readonly leaseMs: number;
  },
): Promise<Date> {
  const ofEvents = (value: (event: TakenEvent) => unknown) => events.map(value);
  const ofDeliveries = (value: (delivery: NewDelivery) => unknown) => deliveries.map(value);
  const last = new Map(events.map(({ partnerId, sequence }) => [partnerId, sequence]));
  const [row] = await run<{ leaseEndsAt: Date }>(db, INSERT, [
    ofEvents(({ partnerId }) => partnerId),
    ofEvents(({ sequence }) => sequence),
    ofEvents(({ eventId }) => eventId),
    ofEvents(({ eventType }) => eventType),
    ofEvents(({ subjectId }) => subjectId),
    ofEvents(({ correlationId }) => correlationId),
    ofEvents(({ occurredAt }) => occurredAt),
    ofEvents(({ data }) => data),
    events.map((event) => bodyOf(event) ?? '').join(BETWEEN_BODIES),
    [...last.keys()],
    [...last.values()],
    ofDeliveries(({ event }) => event.partnerId),
    ofDeliveries(({ deliveryId }) => deliveryId),
    ofDeliveries(({ endpointId }) => endpointId),
    ofDeliveries(({ event }) => event.eventId),
    ofDeliveries(({ event }) => event.sequence),
    ofDeliveries(({ event }) => event.eventType),
    attemptsMax,
    leaseMs,
    ofDeliveries(({ isClaimed }) => (isClaimed ? 1n : 0n)),
  ]);
  return (row as { leaseEndsAt: Date }).leaseEndsAt;
}
