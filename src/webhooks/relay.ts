/**
 * From a committed change to the partner's endpoint: the relay gives events their place, the dispatcher sends them. Nothing here
 * decides what is told; that stands in the transaction of the change.
 */
import { ATTEMPTS_MAX } from '../domain/delivery-schedule.ts';
import type { Database } from '../store/database.ts';
import { listPartnersWithUnnumberedEvents, numberEvents } from '../store/event.ts';
import { repeat } from './repeat.ts';

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
  return repeat({
    pauseMs: PAUSE_MS,
    onError,
    async work() {
      const { deliveries, hasMore } = await relayOnce(database, onError);
      if (deliveries > 0) onDeliveries();
      return hasMore;
    },
  });
}

/** One batch of each partner, so that none waits for another's backlog. What fails for one is told and left for the next time. */
async function relayOnce(
  database: Database,
  onError: (error: unknown) => void,
): Promise<{ readonly deliveries: number; readonly hasMore: boolean }> {
  let [deliveries, hasMore] = [0, false];
  for (const partnerId of await listPartnersWithUnnumberedEvents(database)) {
    try {
      const numbered = await numberEvents(database.pool, partnerId, { limit: EVENTS_AT_ONCE, attemptsMax: ATTEMPTS_MAX });
      deliveries += numbered.deliveries;
      hasMore ||= numbered.events === EVENTS_AT_ONCE;
    } catch (error) {
      onError(error);
    }
  }
  return { deliveries, hasMore };
}
