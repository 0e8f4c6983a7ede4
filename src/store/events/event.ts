import type { EventHead } from '../../domain/events/event.ts';
import { announceEvents } from '../announcements.ts';
import { insertListed, type ListedInsert, NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { durableRead } from '../durable-read.ts';
import type { NodeReader, OfAllPartners } from '../node-reader.ts';
import { rowOf, run, runAnew, type Statement } from '../query.ts';

/** An event in the transaction of its change, before it has a sequence. */
export interface EventDraft {
  readonly partnerId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The record that the event is about. */
  readonly subjectId: string;
  readonly correlationId: string | null;
  /** The data that cannot be read from its record later, as the JSON text of an object. */
  readonly data: string | null;
}

export interface EventRecord extends EventHead {
  readonly sequence: bigint;
  readonly subjectId: string;
  /** The data that cannot be read from the event's record, as in {@link EventDraft}. */
  readonly data: string | null;
  /** The text that is signed and sent, if a release stored it that packed none; otherwise `null`. */
  readonly body: string | null;
  /** The text as `packBody` packed it, unless it is stored otherwise or not needed yet. It is older than `body` where both are stored. */
  readonly packedBody: Buffer | null;
  /** What `valuesOfBody` took from the text. Stored with the row or never; the others beside it are of releases that do not read it. */
  readonly bodyValues: string | null;
}

const INSERT: Statement = {
  name: 'insert_event_draft',
  text: `insert into event_outbox (partner_id, event_id, event_type, subject_id, correlation_id, occurred_at, data)
    values ($1, $2, $3, $4, $5, ${NOW}, $6)`,
};

/** The statement that inserts confirmations writes their events too. */
export async function insertEvent(db: Queryable, event: EventDraft): Promise<void> {
  const { partnerId, eventId, eventType, subjectId, correlationId, data } = event;
  announceEvents(db);
  await run(db, INSERT, [partnerId, eventId, eventType, subjectId, correlationId, data]);
}

const DRAFTS: ListedInsert<EventDraft> = {
  table: 'event_outbox',
  columns: [
    ['partner_id', 'text', (event) => event.partnerId],
    ['event_id', 'text', (event) => event.eventId],
    ['event_type', 'text', (event) => event.eventType],
    ['subject_id', 'text', (event) => event.subjectId],
    ['correlation_id', 'text', (event) => event.correlationId],
    ['data', 'text', (event) => event.data],
  ],
  computed: () => ({ occurred_at: NOW }),
  onStored: 'fail',
  returning: 'event_id',
};

/** Up to a thousand events of any partners. Those of one partner get their sequences in this order. */
export async function insertEvents(db: Queryable, events: readonly EventDraft[]): Promise<void> {
  announceEvents(db);
  await insertListed(db, DRAFTS, events);
}

const INSERT_COUNTER: Statement = {
  name: 'insert_event_counter',
  text: 'insert into event_counter (partner_id) values ($1) on conflict do nothing',
};

/** Every partner has a counter from the beginning; without one its events would get no sequence. */
export async function insertEventCounter(db: Queryable, partnerId: string): Promise<void> {
  await run(db, INSERT_COUNTER, [partnerId]);
}

const LOCK_COUNTER: Statement = {
  name: 'lock_event_counter',
  text: 'update event_counter set last_sequence = last_sequence where partner_id = $1',
};

/**
 * Locks the partner's event counter until the transaction ends: no event gets a sequence, and no endpoint is added, meanwhile. The row is
 * written, so that a statement which numbers events by an older snapshot of the endpoints leaves the partner to the next one.
 */
export async function lockEventCounter(db: Queryable, partnerId: string): Promise<void> {
  await run(db, LOCK_COUNTER, [partnerId]);
}

const FIND_LAST: Statement = {
  name: 'find_last_sequence',
  text: 'select last_sequence as "lastSequence" from event_counter where partner_id = $1',
};

/** The highest sequence of the partner's events; 0 before the first. */
export async function findLastSequence(db: Queryable, partnerId: string): Promise<bigint> {
  const [row] = await run<{ lastSequence: bigint }>(db, FIND_LAST, [partnerId]);
  return row?.lastSequence ?? 0n;
}

const FIND_NEXT: Statement = {
  name: 'find_next_sequence',
  text: 'select sequence from event where partner_id = $1 and sequence > $2 order by sequence limit 1',
};

/** The lowest sequence after this one that an event of the partner has; `undefined` when it is none's. */
export async function findNextSequence(db: Queryable, partnerId: string, after: bigint): Promise<bigint | undefined> {
  const [row] = await run<{ sequence: bigint }>(db, FIND_NEXT, [partnerId, after]);
  return row?.sequence;
}

const LIST_COUNTERS: OfAllPartners = {
  name: 'list_event_counters',
  write: (ofPartners) => `select partner_id as "partnerId" from event_counter where ${ofPartners('partner_id')}`,
};

/** Lists the partners whose events have sequences. */
export async function listEventCounters(nodes: NodeReader): Promise<string[]> {
  return (await nodes.read<{ partnerId: string }>(LIST_COUNTERS)).map(({ partnerId }) => partnerId);
}

const COLUMNS = `partner_id as "partnerId", sequence, event_id as "eventId", event_type as "eventType", subject_id as "subjectId",
    correlation_id as "correlationId", occurred_at as "occurredAt", data, body, packed_body as "packedBody", body_values as "bodyValues"`;

const LIST = durableRead({
  name: 'list_events',
  text: `select ${COLUMNS} from event where partner_id = $1 and sequence > $2 order by sequence limit $3`,
});

/** In the order of their sequence. */
export async function listEvents(
  db: Queryable,
  partnerId: string,
  { afterSequence, limit }: { afterSequence: bigint; limit: number },
): Promise<EventRecord[]> {
  return run<EventRecord>(db, LIST, [partnerId, afterSequence, limit]);
}

const FIND = durableRead({
  name: 'find_event',
  text: `select ${COLUMNS} from ${rowOf('event', { partnerId: '$1', key: 'event_id', value: '$2' })} event`,
});

export async function findEvent(db: Queryable, partnerId: string, eventId: string): Promise<EventRecord | undefined> {
  const [event] = await run<EventRecord>(db, FIND, [partnerId, eventId]);
  return event;
}

const FIND_BY_SEQUENCE: Statement = {
  name: 'find_events_by_sequence',
  text: `select ${COLUMNS} from event where partner_id = $1 and sequence = any ($2::int8[])`,
};

export async function findEventsBySequence(
  db: Queryable,
  partnerId: string,
  sequences: readonly bigint[],
): Promise<EventRecord[]> {
  return runAnew<EventRecord>(db, FIND_BY_SEQUENCE, [partnerId, sequences]);
}

const OWN_BODY = '($3::bytea[])[array_position($2::int8[], sequence)]';
const STORE_BODIES: Statement = {
  name: 'update_event_bodies',
  text: `update event set packed_body = coalesce(packed_body, case when body is null then ${OWN_BODY} end)
    where partner_id = $1 and sequence = any ($2::int8[])
    returning sequence, case when packed_body is null then body end as body, nullif(packed_body, ${OWN_BODY}) as "packedBody"`,
};

/** A body as it is stored, in one of three columns. */
export type StoredBody = Pick<EventRecord, 'body' | 'packedBody' | 'bodyValues'>;

type LaterBody = Omit<StoredBody, 'bodyValues'>;

/**
 * Stores new bodies; a body that another process stored first stays.
 *
 * @returns Those other bodies, by sequence.
 */
export async function updateEventBodies(
  db: Queryable,
  partnerId: string,
  made: readonly { sequence: bigint; packedBody: Buffer }[],
): Promise<Map<bigint, LaterBody>> {
  const values = [partnerId, made.map(({ sequence }) => sequence), made.map(({ packedBody }) => packedBody)];
  const rows = await runAnew<LaterBody & { sequence: bigint }>(db, STORE_BODIES, values);
  const isOther = ({ body, packedBody }: LaterBody) => body !== null || packedBody !== null;
  return new Map(rows.filter(isOther).map(({ sequence, ...stored }) => [sequence, stored]));
}

const LIST_SUBJECTS: Statement = {
  name: 'list_subjects_of_events',
  text: `select event_id as "eventId", occurred_at as "occurredAt", subject_id as "subjectId"
    from event where partner_id = $1 and event_id = any ($2::text[])`,
};

/** What an event is about, and when it occurred. */
export type SubjectOfEvent = Pick<EventRecord, 'eventId' | 'occurredAt' | 'subjectId'>;

/** In no order; tests and samples are no events. */
export async function listSubjectsOfEvents(
  db: Queryable,
  partnerId: string,
  eventIds: readonly string[],
): Promise<SubjectOfEvent[]> {
  return runAnew<SubjectOfEvent>(db, LIST_SUBJECTS, [partnerId, eventIds]);
}

const LIST_BETWEEN: Statement = {
  name: 'list_events_of_subject_between',
  text: `select ${COLUMNS} from event where partner_id = $1 and event_id >= $2 and event_id < $3 and subject_id = $4 order by event_id limit $5`,
};

/** About a record, among the events that were made between two ids; the records of a time have the events of that time. */
export async function listEventsOfSubject(
  db: Queryable,
  partnerId: string,
  { subjectId, fromId, toId, limit }: { subjectId: string; fromId: string; toId: string; limit: number },
): Promise<EventRecord[]> {
  return run<EventRecord>(db, LIST_BETWEEN, [partnerId, fromId, toId, subjectId, limit]);
}
