import type { Environment } from '../domain/api-key.ts';
import type { Database } from '../store/database.ts';
import { vouchForRead } from '../store/durability.ts';
import { findEvent, listEvents } from '../store/event.ts';
import { type WrittenEvent, writeEventBodies } from './event-bodies.ts';

export interface EventPage {
  readonly events: readonly WrittenEvent[];
  /** What the next page begins after; where this page is empty, what it began after itself. */
  readonly nextAfterSequence: bigint;
  readonly hasMore: boolean;
}

export interface ListEvents {
  /** A partner's events in the order of their sequence. */
  page(partnerId: string, cursor: { afterSequence: bigint; limit: number }): Promise<EventPage>;
  byId(partnerId: string, eventId: string): Promise<WrittenEvent | undefined>;
}

/** Lets a partner that was down catch up by itself. @see decisions, section 7. */
export function readEvents(database: Database, environment: Environment): ListEvents {
  const { pool } = database;
  return {
    async page(partnerId, { afterSequence, limit }) {
      // One more than is asked for tells whether there are more.
      const found = await listEvents(pool, partnerId, { afterSequence, limit: limit + 1 });
      await vouchForRead(database);
      const events = await writeEventBodies(pool, environment, found.slice(0, limit));
      return { events, nextAfterSequence: events.at(-1)?.sequence ?? afterSequence, hasMore: found.length > limit };
    },
    async byId(partnerId, eventId) {
      const event = await findEvent(pool, partnerId, eventId);
      await vouchForRead(database);
      const [written] = event ? await writeEventBodies(pool, environment, [event]) : [];
      return written;
    },
  };
}
