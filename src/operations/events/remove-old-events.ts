import { forEachSettled } from '../../concurrency/for-each-settled.ts';
import { pluralise } from '../../domain/pluralise.ts';
import type { Database } from '../../store/database.ts';
import {
  deleteOldEvents,
  deleteOldTests,
  listPartnersWithOldEvents,
  listPartnersWithOldTests,
} from '../../store/events/delete-old-events.ts';

const AT_ONCE = 500;

/**
 * Removes events that are older than this many days, and deliveries of tests and samples, with their attempts. Any number of processes
 * may do so at once; the next one finishes an interrupted removal.
 *
 * @returns How many events were removed.
 * @throws AggregateError When the events of some partners could not be removed, after those of all others were.
 */
export async function removeOldEvents({ pool }: Database, days: number, signal?: AbortSignal): Promise<number> {
  let sum = 0;
  const failed = (count: number) => `Old events of ${pluralise(count, 'partner')} could not be removed.`;
  const lists = [await listPartnersWithOldTests(pool, days), await listPartnersWithOldEvents(pool, days)];
  await forEachSettled(new Set(lists.flat()), { signal, failed }, async (partnerId) => {
    await removeAll((limit) => deleteOldTests(pool, partnerId, { days, limit }), signal);
    sum += await removeAll((limit) => deleteOldEvents(pool, partnerId, { days, limit }), signal);
  });
  return sum;
}

/** @param remove Removes so many at most, and answers how many it removed. */
async function removeAll(remove: (limit: number) => Promise<number>, signal?: AbortSignal): Promise<number> {
  let sum = 0;
  for (let removed = AT_ONCE; removed === AT_ONCE && !signal?.aborted; sum += removed) removed = await remove(AT_ONCE);
  return sum;
}
