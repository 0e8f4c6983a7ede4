/**
 * From a committed change to the partner's endpoint: the relay gives events their place, the dispatcher sends them. Nothing here
 * decides what is told; that stands in the transaction of the change.
 */

import { repeat } from '../../concurrency/poll.ts';
import { ATTEMPTS_MAX } from '../../domain/webhooks/retry-schedule.ts';
import { type Connection, canPrepare, type Database } from '../../store/database.ts';
import {
  listPartnersWithUnnumberedEvents,
  numberEvents,
  type OutboxRange,
  WHOLE_OUTBOX,
} from '../../store/events/event-outbox.ts';

export interface RelayOptions {
  readonly database: Database;
  /** Told when deliveries were made, so that they need not wait to be found. */
  readonly onDeliveries: () => void;
  readonly onError: (error: unknown) => void;
}

/** How long an event waits at most before it has its place: it may be fetched within a second of its commit. */
const PAUSE_MS = 200;
const EVENTS_AT_ONCE = 1_000;

/**
 * Numbers the events of all partners, again and again. Any number of processes may do so at once.
 *
 * @returns A function that ends it, and resolves when what is under way is done.
 */
export function openRelay({ database, onDeliveries, onError }: RelayOptions): () => Promise<void> {
  let session: Session | undefined;
  const leave = (error?: Error) => {
    session?.client.release(error);
    session = undefined;
  };
  const end = repeat({
    pauseMs: PAUSE_MS,
    onError,
    async work() {
      session ??= beginSession(await database.pool.connect());
      try {
        const { deliveries, hasMore } = await relayOnce(database, session, onError);
        if (deliveries > 0) onDeliveries();
        return hasMore;
      } catch (error) {
        leave(error as Error);
        throw error;
      }
    },
  });
  return async () => {
    await end();
    leave();
  };
}

/**
 * A connection, and where the server behind it may have events without a number. That holds for this connection alone: a server that
 * was restored or took over counts transactions anew, and a pooler may change the server unseen.
 */
export interface Session {
  readonly client: Connection;
  range: OutboxRange;
  /** Partners of whose events some were left over, and where those may be. */
  behind: ReadonlyMap<string, OutboxRange>;
}

export function beginSession(client: Connection): Session {
  return { client, range: WHOLE_OUTBOX, behind: new Map() };
}

/** One batch of each partner, so that none waits for another's backlog. What fails for one is told and left for the next time. */
export async function relayOnce(
  database: Database,
  session: Session,
  onError: (error: unknown) => void,
): Promise<{ readonly deliveries: number; readonly hasMore: boolean }> {
  const { client, range } = session;
  const behind = new Map<string, OutboxRange>();
  const { partnerIds, next } = await listPartnersWithUnnumberedEvents(client, database, range);
  let [deliveries, hasMore] = [0, false];
  for (const partnerId of new Set([...partnerIds, ...session.behind.keys()])) {
    const rangeOfPartner = session.behind.get(partnerId) ?? range;
    behind.set(partnerId, rangeOfPartner);
    try {
      const batch = { limit: EVENTS_AT_ONCE, attemptsMax: ATTEMPTS_MAX, range: rangeOfPartner };
      const numbered = await numberEvents(client, database, partnerId, batch);
      deliveries += numbered.deliveries;
      if (numbered.isComplete) behind.delete(partnerId);
      else hasMore ||= numbered.isFull;
    } catch (error) {
      onError(error);
    }
  }
  if (canPrepare(client)) Object.assign(session, { range: next, behind });
  return { deliveries, hasMore };
}
