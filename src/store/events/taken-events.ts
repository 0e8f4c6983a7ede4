import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';
import type { HandOver } from '../webhooks/hand-over.ts';
import type { StoredBody } from './event.ts';
import { type OutboxRange, TAKING } from './event-outbox.ts';

/** An event that was taken from the outbox, and its sequence. */
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

const TAKE: Statement = {
  name: 'take_unsequenced_events',
  text: `with ${TAKING}
    select t.partner_id as "partnerId", t.event_id as "eventId", t.event_type as "eventType", t.subject_id as "subjectId",
      t.correlation_id as "correlationId", t.occurred_at as "occurredAt", t.data, f.found,
      case row_number() over (order by t.position)
        when 1 then array(select array[partner_id, place::text, last_sequence::text] from counter)
      end as counters
    from (select count(*)::int4 as found from oldest) f left join taken t on true
    order by t.position`,
};

/** The counter of a partner, which this transaction has locked: no other process assigns sequences to the partner's events. */
export interface HeldCounter {
  readonly partnerId: string;
  /** Where its row is as long as this transaction does not change it. */
  readonly place: string;
}

export interface TakenEvents {
  /** The events of a partner are adjacent, in the order of their sequences. */
  readonly events: readonly TakenEvent[];
  readonly counters: readonly HeldCounter[];
  /** No event in the range of these partners was left over. */
  readonly isAll: boolean;
}

/**
 * Takes the oldest events of the outbox, of several partners together, in the order of their transactions and positions. The transaction
 * must assign their sequences ({@link insertTakenEvents}) before it ends. A partner whose counter another process has locked is left out.
 */
export async function takeUnsequencedEvents(
  db: Queryable,
  { from, late }: OutboxRange,
  partnerIds: readonly string[],
  limit: number,
): Promise<TakenEvents> {
  const rows = await run<TakenRow>(db, TAKE, [from, late, partnerIds, limit]);
  // The first row has them, and each of the others would have to be parsed.
  const [{ found, counters, eventId: firstId }] = rows as [TakenRow];
  const held = counters ?? [];
  const lastSequences = new Map(held.map(([partnerId, , lastSequence]) => [partnerId, BigInt(lastSequence)]));
  const events: TakenEvent[] = [];
  // Without an event there is one row.
  for (const [partnerId, own] of Map.groupBy(firstId === null ? [] : rows, (row) => row.partnerId)) {
    let sequence = lastSequences.get(partnerId) as bigint;
    for (const { eventId, eventType, subjectId, correlationId, occurredAt, data } of own)
      events.push({ partnerId, sequence: ++sequence, eventId, eventType, subjectId, correlationId, occurredAt, data });
  }
  return { events, counters: held.map(([partnerId, place]) => ({ partnerId, place })), isAll: found < limit };
}

interface TakenRow extends Omit<TakenEvent, 'sequence'> {
  readonly found: number;
  readonly counters: readonly (readonly [partnerId: string, place: string, lastSequence: string])[] | null;
}

/** A body in one of its two forms. */
export type NewBody = Omit<StoredBody, 'body'>;

/** A delivery of a taken event, claimed by this process or due for all. */
export interface NewDelivery {
  readonly event: TakenEvent;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly isClaimed: boolean;
}

const LEASE_END = "date_trunc('milliseconds', now() + $19 * interval '1 millisecond')";
const INSERT: Statement = {
  name: 'insert_taken_events',
  text: `with numbered as (
      insert into event (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data, packed_body,
        body_values)
      select partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data,
        case when size > 0 then substring($9::bytea from place for size) end, body_values
      from unnest($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[],
        $21::int4[], $22::int4[], $29::text[])
        as e (partner_id, sequence, event_id, event_type, subject_id, correlation_id, occurred_at, data, place, size, body_values)
    ), counted as (
      update event_counter c set last_sequence = n.last_sequence
      from unnest($10::tid[], $11::int8[]) as n (place, last_sequence) where c.ctid = n.place
    ), delivered as (
      insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, lease, created_at)
      select partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, 'event',
        case lease when 0 then 'waiting' else 'handed_over' end, $18, case lease when 0 then ${NOW} else ${LEASE_END} end, lease, ${NOW}
      from unnest($12::text[], $13::text[], $14::text[], $15::text[], $16::int8[], $17::text[], $20::int8[])
        as d (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, lease)
    ), handed_over as (
      insert into delivery_hand_over (lease_ends_at, hand_over_id, partner_ids, first_sequences, last_sequences)
      select ${LEASE_END}, $23::text, $24::text[], $25::int8[], $26::int8[] where $23::text is not null
    ), ended as (
      delete from delivery_hand_over h using unnest($27::timestamptz[], $28::text[]) as e (lease_ends_at, hand_over_id)
      where h.lease_ends_at = e.lease_ends_at and h.hand_over_id = e.hand_over_id
    )
    select ${LEASE_END} as "leaseEndsAt"`,
};

/**
 * Stores taken events with their sequences, and creates their deliveries.
 *
 * @param counters Those of the events' partners, locked by this transaction. They are taken by their places: a plan that was made while
 * the table was empty could read the counters of all partners.
 * @param bodyOf How the body is stored, if it is needed already.
 * @param handOverId Of the claimed deliveries; unused without any.
 * @param ended Hand-overs of which every delivery has its result: they are forgotten.
 * @returns When the leases of the claimed deliveries end, by the database's clock.
 */
export async function insertTakenEvents(
  db: Queryable,
  events: readonly TakenEvent[],
  {
    deliveries,
    counters,
    bodyOf,
    attemptsMax,
    leaseMs,
    handOverId,
    ended,
  }: {
    readonly deliveries: readonly NewDelivery[];
    readonly counters: readonly HeldCounter[];
    readonly bodyOf: (event: TakenEvent) => NewBody | undefined;
    readonly attemptsMax: number;
    readonly leaseMs: number;
    readonly handOverId: string;
    readonly ended: readonly HandOver[];
  },
): Promise<Date> {
  const ofEvents = (value: (event: TakenEvent) => unknown) => events.map(value);
  const ofDeliveries = (value: (delivery: NewDelivery) => unknown) => deliveries.map(value);
  const last = new Map(events.map(({ partnerId, sequence }) => [partnerId, sequence]));
  const counted = counters.filter(({ partnerId }) => last.has(partnerId));
  const bodies = joinBodies(events.map((event) => bodyOf(event)?.packedBody));
  const parts = claimedParts(deliveries);
  const [row] = await run<{ leaseEndsAt: Date }>(db, INSERT, [
    ofEvents(({ partnerId }) => partnerId),
    ofEvents(({ sequence }) => sequence),
    ofEvents(({ eventId }) => eventId),
    ofEvents(({ eventType }) => eventType),
    ofEvents(({ subjectId }) => subjectId),
    ofEvents(({ correlationId }) => correlationId),
    ofEvents(({ occurredAt }) => occurredAt),
    ofEvents(({ data }) => data),
    bodies.joined,
    counted.map(({ place }) => place),
    counted.map(({ partnerId }) => last.get(partnerId)),
    ofDeliveries(({ event }) => event.partnerId),
    ofDeliveries(({ deliveryId }) => deliveryId),
    ofDeliveries(({ endpointId }) => endpointId),
    ofDeliveries(({ event }) => event.eventId),
    ofDeliveries(({ event }) => event.sequence),
    ofDeliveries(({ event }) => event.eventType),
    attemptsMax,
    leaseMs,
    ofDeliveries(({ isClaimed }) => (isClaimed ? 1n : 0n)),
    bodies.places,
    bodies.sizes,
    parts.length === 0 ? null : handOverId,
    parts.map(({ partnerId }) => partnerId),
    parts.map(({ first }) => first),
    parts.map(({ last }) => last),
    ended.map(({ leaseEndsAt }) => leaseEndsAt),
    ended.map((handOver) => handOver.handOverId),
    ofEvents((event) => bodyOf(event)?.bodyValues),
  ]);
  return (row as { leaseEndsAt: Date }).leaseEndsAt;
}

/** The sequences of the claimed deliveries of each partner, from the first to the last. */
function claimedParts(deliveries: readonly NewDelivery[]) {
  const parts = new Map<string, { readonly partnerId: string; readonly first: bigint; last: bigint }>();
  for (const { event, isClaimed } of deliveries) {
    if (!isClaimed) continue;
    const { partnerId, sequence } = event;
    const part = parts.get(partnerId);
    // In the order of their sequences.
    if (part) part.last = sequence;
    else parts.set(partnerId, { partnerId, first: sequence, last: sequence });
  }
  return [...parts.values()];
}

/** Bodies as one value, which is sent as it is; elements of an array would be escaped. The first byte has the place 1; no body has the size 0. */
function joinBodies(bodies: readonly (Buffer | null | undefined)[]) {
  const places: number[] = [];
  let place = 1;
  for (const body of bodies) {
    places.push(place);
    place += body?.length ?? 0;
  }
  return { joined: Buffer.concat(bodies.flatMap((body) => body ?? [])), places, sizes: bodies.map((body) => body?.length ?? 0) };
}
