import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import type { Database } from '../../store/database.ts';
import { deleteOldEvents } from '../../store/events/delete-old-events.ts';
import { listEventCounters } from '../../store/events/event.ts';

const EVENTS_AT_ONCE = 500;

/**
 * Removes events that are older than this many days, with their deliveries and attempts. Any number of processes may do so at once; the
 * next one finishes an interrupted removal.
 *
 * @returns How many events were removed.
 * @throws AggregateError When the events of some partners could not be removed, after those of all others were.
 */
export async function removeOldEvents({ pool }: Database, days: number, signal?: AbortSignal): Promise<number> {
  let sum = 0;
  const failed = (count: number) => `Old events of ${pluralise(count, 'partner')} could not be removed.`;
  await forEachSettled(await listEventCounters(pool), { signal, failed }, async (partnerId) => {
    for (let removed = EVENTS_AT_ONCE; removed === EVENTS_AT_ONCE && !signal?.aborted; sum += removed)
      removed = await deleteOldEvents(pool, partnerId, { days, limit: EVENTS_AT_ONCE });
  });
  return sum;
}
