import type { Database } from '../store/database.ts';
import { listEventCounters } from '../store/event.ts';
import { deleteOldEvents } from '../store/event-retention.ts';

const EVENTS_AT_ONCE = 500;

/**
 * Removes what is older than so many days: events, their deliveries and attempts. Any number of processes may do so at once, and one
 * that is interrupted is finished by the next.
 *
 * @returns How many events were removed.
 */
export async function removeOldEvents({ pool }: Database, days: number, signal?: AbortSignal): Promise<number> {
  let sum = 0;
  for (const partnerId of await listEventCounters(pool)) {
    for (let removed = EVENTS_AT_ONCE; removed === EVENTS_AT_ONCE && !signal?.aborted; sum += removed)
      removed = await deleteOldEvents(pool, partnerId, { days, limit: EVENTS_AT_ONCE });
  }
  return sum;
}
