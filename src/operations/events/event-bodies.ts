import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Environment } from '../../domain/access/api-key.ts';
import type { Association } from '../../domain/emissions/association.ts';
import { type BodyColumns, bodyFromValues, valuesOfBody } from '../../domain/events/body-values.ts';
import type { EventHead } from '../../domain/events/event.ts';
import { packBody, unpackBody } from '../../domain/events/packed-body.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { type EventRecord, type StoredBody, updateEventBodies } from '../../store/events/event.ts';
import { confirmedAssociation, currentAssociation } from '../../wire/association-outcome.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { eventToText } from '../../wire/event-to-text.ts';
import { withEnvironment } from '../../wire/settlement-to-wire.ts';
import type { RecentContributions } from './recent-contributions.ts';

const CONFIRMED = 'impact.transaction.confirmed';

/** An event with the bytes that are signed and sent: a text in UTF-8. */
export interface WrittenEvent extends Omit<EventRecord, keyof StoredBody> {
  readonly body: Buffer;
}

/**
 * The events with their bodies. Writes those that have none yet, once: every later reader, in any process, gets the same bytes. Whoever
 * needs the body of an event gets it here.
 */
export async function writeEventBodies(
  db: Queryable,
  environment: Environment,
  events: readonly EventRecord[],
): Promise<WrittenEvent[]> {
  const made = await writeMissingBodies(db, environment, events);
  return events.map(({ bodyValues, packedBody, body, ...event }) => ({
    ...event,
    body: readStoredBody({ bodyValues, packedBody, body }, event, environment) ?? (made.get(event.sequence) as Buffer),
  }));
}

/** Writes the bodies of those events that have none yet, by sequence. */
async function writeMissingBodies(
  db: Queryable,
  environment: Environment,
  events: readonly EventRecord[],
): Promise<Map<bigint, Buffer>> {
  const unwritten = events.filter(({ body, packedBody, bodyValues }) => (bodyValues ?? packedBody ?? body) === null);
  const [first] = unwritten;
  if (!first) return new Map();
  const records = await findSubjects(db, unwritten);
  const made = unwritten.map((event) => ({
    event,
    sequence: event.sequence,
    body: Buffer.from(writeBody(event, environment, records.get(event.subjectId))),
  }));
  const packed = made.map(({ sequence, body }) => ({ sequence, packedBody: packBody(body) }));
  const others = await updateEventBodies(db, first.partnerId, packed);
  return new Map(
    made.map(({ event, sequence, body }) => {
      const other = others.get(sequence);
      return [sequence, (other && readStoredBody({ ...other, bodyValues: null }, event, environment)) ?? body];
    }),
  );
}

function readStoredBody(
  { bodyValues, packedBody, body }: StoredBody,
  event: BodyColumns,
  environment: Environment,
): Buffer | null {
  if (bodyValues !== null) return Buffer.from(bodyFromValues(bodyValues, event, environment));
  if (packedBody !== null) return unpackBody(packedBody);
  return body === null ? null : Buffer.from(body);
}

/** The fields of an event from which its body is written. */
type UnwrittenEvent = Pick<EventRecord, keyof EventHead | 'subjectId' | 'data'>;

export interface BodyTools {
  readonly environment: Environment;
  /** A contribution that this process confirmed is not read again. */
  readonly recent: RecentContributions;
  readonly onError: (error: unknown) => void;
}

/** A body that is not stored yet. */
export interface MadeBody {
  readonly body: Buffer;
  /** How it will be stored; the other is `null`. */
  readonly bodyValues: string | null;
  readonly packedBody: Buffer | null;
}

/** The most bodies in some three milliseconds; then other work runs. A turn of a busy event loop takes longer than making them does. */
const BODIES_IN_A_TURN = 128;

/**
 * Makes the bodies of events that are not stored yet, by event id; the caller stores them with the events. A body that cannot be made is
 * reported, and left out.
 */
export async function makeEventBodies(
  db: Queryable,
  { environment, recent, onError }: BodyTools,
  events: readonly UnwrittenEvent[],
): Promise<Map<string, MadeBody>> {
  const confirmed = new Map<string, ContributionRecord>();
  for (const { eventId, eventType, subjectId } of events) {
    const record = eventType === CONFIRMED ? recent.take(subjectId) : undefined;
    if (record) confirmed.set(eventId, record);
  }
  // A record in memory lacks what happened after the confirmation.
  const unread = events.filter(({ eventId, subjectId }) => subjectId.startsWith('txn_') && !confirmed.has(eventId));
  const records = await findSubjects(db, unread);
  const bodies = new Map<string, MadeBody>();
  for (const [index, event] of events.entries()) {
    if (index % BODIES_IN_A_TURN === BODIES_IN_A_TURN - 1) await nextTurn();
    try {
      const record = confirmed.get(event.eventId) ?? records.get(event.subjectId);
      bodies.set(event.eventId, makeBody(event, environment, record));
    } catch (error) {
      onError(error);
    }
  }
  return bodies;
}

function makeBody(event: UnwrittenEvent, environment: Environment, record: ContributionRecord | undefined): MadeBody {
  const text = writeBody(event, environment, record);
  const body = Buffer.from(text);
  const isConfirmation = event.eventType === CONFIRMED && record !== undefined;
  const bodyValues = isConfirmation ? valuesOfBody(text, event, environment, record.contribution) : null;
  return { body, bodyValues, packedBody: bodyValues === null ? packBody(body) : null };
}

async function findSubjects(db: Queryable, events: readonly UnwrittenEvent[]): Promise<Map<string, ContributionRecord>> {
  if (events.length === 0) return new Map();
  const ids = events.map(({ partnerId, subjectId }) => ({ partnerId, transactionId: subjectId }));
  const found = await findContributionsById(db, ids);
  return new Map(found.map((record) => [record.contribution.transactionId, record]));
}

function writeBody(event: UnwrittenEvent, environment: Environment, record: ContributionRecord | undefined): string {
  return eventToText(event, environment, buildEventData(event, environment, record));
}

/**
 * The member `data`. A confirmed or failed contribution never changes, nor does a link: they are read from their records. Data that could
 * change later was stored with the event.
 */
function buildEventData(event: UnwrittenEvent, environment: Environment, record: ContributionRecord | undefined): object {
  const data = event.data === null ? {} : JSON.parse(event.data, exactIntegers);
  const association = ASSOCIATIONS[data.change ?? event.eventType];
  if (data.change === 'adjustment') return { ...data, environment };
  if (data.settlement) return { ...data, settlement: withEnvironment(data.settlement, environment) };
  if (association === undefined) return data;
  if (!record) throw new Error(`The event ${event.eventId} is about ${event.subjectId}, which is not there.`);
  return {
    ...data,
    contribution: contributionToWire(record.contribution, environment),
    ...(association && { association: associationToWire(association(record), environment) }),
  };
}

/** The association in the event, by what happened to the contribution. */
const ASSOCIATIONS: Readonly<Record<string, ((record: ContributionRecord) => Association) | null | undefined>> = {
  'impact.transaction.confirmed': confirmedAssociation,
  associated: currentAssociation,
  failed: null,
};

/** An integer keeps all its digits. */
function exactIntegers(_name: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' && context && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
