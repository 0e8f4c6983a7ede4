import type { Environment } from '../../domain/access/api-key.ts';
import type { Association } from '../../domain/emissions/association.ts';
import { type ContributionRecord, findContributionsById } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { type EventRecord, updateEventBodies } from '../../store/events/event.ts';
import { confirmedAssociation, currentAssociation } from '../../wire/association-outcome.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { eventToText } from '../../wire/event-to-text.ts';
import { withEnvironment } from '../../wire/settlement-to-wire.ts';

/** An event with the text that is signed and sent. */
export interface WrittenEvent extends EventRecord {
  readonly body: string;
}

/**
 * Writes the bodies of those events that have none yet, once and for good: whoever asks later, here or in another process, gets
 * the same bytes.
 */
export async function writeEventBodies(
  db: Queryable,
  environment: Environment,
  events: readonly EventRecord[],
): Promise<WrittenEvent[]> {
  const unwritten = events.filter(({ body }) => body === null);
  const [first] = unwritten;
  if (!first) return events as WrittenEvent[];
  const records = await findSubjects(db, unwritten);
  const made = unwritten.map((event) => ({
    sequence: event.sequence,
    body: eventToText(event, environment, sayWhat(event, environment, records)),
  }));
  const others = await updateEventBodies(db, first.partnerId, made);
  const bodies = new Map(made.map(({ sequence, body }) => [sequence, others.get(sequence) ?? body]));
  return events.map((event) => ({ ...event, body: event.body ?? (bodies.get(event.sequence) as string) }));
}

async function findSubjects(db: Queryable, events: readonly EventRecord[]): Promise<Map<string, ContributionRecord>> {
  const ids = events.map(({ partnerId, subjectId }) => ({ partnerId, transactionId: subjectId }));
  const found = await findContributionsById(db, ids);
  return new Map(found.map((record) => [record.contribution.transactionId, record]));
}

/**
 * The member `data`. A contribution that is confirmed or failed never changes, nor does a link: they are read from their records. What
 * could be read otherwise later was written down with the event.
 */
function sayWhat(event: EventRecord, environment: Environment, records: ReadonlyMap<string, ContributionRecord>): object {
  const noted = event.data === null ? {} : JSON.parse(event.data, exactIntegers);
  const association = ASSOCIATIONS[noted.change ?? event.eventType];
  if (noted.change === 'adjustment') return { ...noted, environment };
  if (noted.settlement) return { ...noted, settlement: withEnvironment(noted.settlement, environment) };
  if (association === undefined) return noted;
  const record = records.get(event.subjectId);
  if (!record) throw new Error(`The event ${event.eventId} is about ${event.subjectId}, which is not there.`);
  return {
    ...noted,
    contribution: contributionToWire(record.contribution, environment),
    ...(association && { association: associationToWire(association(record), environment) }),
  };
}

/** By what happened to a contribution: the association that is told with it, if any. */
const ASSOCIATIONS: Readonly<Record<string, ((record: ContributionRecord) => Association) | null | undefined>> = {
  'impact.transaction.confirmed': confirmedAssociation,
  associated: currentAssociation,
  failed: null,
};

/** An integer stays what it was in all its digits. */
function exactIntegers(_name: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' && context && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
