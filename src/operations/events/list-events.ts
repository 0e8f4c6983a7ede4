import type { Places } from '../../concurrency/batch-queue.ts';
import { oneByOne } from '../../concurrency/one-by-one.ts';
import type { Environment } from '../../domain/access/api-key.ts';
import { recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { type EventRecord, findEvent, listEvents } from '../../store/events/event.ts';
import { type WrittenEvent, writeEventBodies } from './event-bodies.ts';

export interface EventCursor {
  readonly partnerId: string;
  /** 0 is before the first event. */
  readonly afterSequence: bigint;
  /** The most events of a page. */
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly WrittenEvent[];
  /** The cursor of the next page; after an empty page the cursor of this one. */
  readonly nextAfterSequence: bigint;
  readonly hasMore: boolean;
}

export interface EventId {
  readonly partnerId: string;
  readonly eventId: string;
}

export interface ReadEvents {
  /** A partner's events in the order of their sequence, without gaps, except after a restore. */
  page(cursor: EventCursor): Promise<EventPage>;
  /** Throws {@link eventNotFound}, also for another partner's event. */
  byId(id: EventId): Promise<WrittenEvent>;
}

/** A page may take tens of milliseconds: pages wait for each other, and delay no other request. */
const LIMITS = { waitingMax: 256, waitMaxMs: 5_000 };

/**
 * Lets a partner that was down fetch the events that it missed.
 *
 * @see docs/spec/decisions.md#7-events.
 */
export function createReadEvents(database: Database, environment: Environment, places: Places): ReadEvents {
  const { pool } = database;
  const readPage = async ({ partnerId, afterSequence, limit }: EventCursor): Promise<EventPage> => {
    // One more row than requested shows whether there are more.
    const found = await listEvents(pool, partnerId, { afterSequence, limit: limit + 1 });
    const events = await writeReadable(pool, environment, found.slice(0, limit));
    return { events, nextAfterSequence: events.at(-1)?.sequence ?? afterSequence, hasMore: found.length > events.length };
  };
  const readOne = async ({ partnerId, eventId }: EventId): Promise<WrittenEvent | undefined> => {
    const event = await findEvent(pool, partnerId, eventId);
    return event && (await writeEventBodies(pool, environment, [event]))[0];
  };
  const find = oneByOne({ ...LIMITS, ...places, run: readOne });
  return {
    page: oneByOne({ ...LIMITS, ...places, run: readPage }),
    async byId(id) {
      const event = await find(id);
      if (!event) throw eventNotFound();
      return event;
    },
  };
}

/**
 * The events before the first whose body cannot be read or written. The page after them fails: a page without it would not tell what is
 * missing.
 */
async function writeReadable(
  db: Queryable,
  environment: Environment,
  events: readonly EventRecord[],
): Promise<readonly WrittenEvent[]> {
  try {
    return await writeEventBodies(db, environment, events);
  } catch (error) {
    const written: WrittenEvent[] = [];
    for (const event of events) {
      const [next] = await writeEventBodies(db, environment, [event]).catch(() => []);
      if (!next) break;
      written.push(next);
    }
    if (written.length === 0) throw error;
    return written;
  }
}

export function eventNotFound(): ServiceError {
  return recordNotFound('event_id', 'There is no event with this event_id. GET /v1/events lists all events.');
}
