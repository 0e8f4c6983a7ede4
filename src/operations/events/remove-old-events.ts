import { repeatWhileFull } from '../../concurrency/repeat-while-full.ts';
import { pluralise } from '../../domain/pluralise.ts';
import type { Database } from '../../store/database.ts';
import {
  deleteOldEvents,
  deleteOldEventsOnNode,
  deleteOldTests,
  listPartnersWithOldEvents,
  listPartnersWithOldTests,
  type Removed,
} from '../../store/events/delete-old-events.ts';
import { askLong, NodeReader } from '../../store/node-reader.ts';
import { deleteOldRehearsals, listPartnersWithOldRehearsals } from '../../store/sandbox/old-rehearsal.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { forEachPartner } from '../for-each-partner.ts';

const AT_ONCE = 500;
/** A list looks at every partner, and at rows that were read last when they were new. */
const LIST_WITHIN_MS = 60_000;

interface RemovalOptions {
  readonly signal?: AbortSignal | undefined;
  /** Partners whose events stay. */
  readonly except?: ReadonlySet<string> | undefined;
}

/**
 * Removes events that are older than this many days, and deliveries of tests and samples, with their attempts, and rehearsals of a
 * sandbox. Any number of processes may do so at once; the next one finishes an interrupted removal.
 *
 * @returns How many events were removed.
 * @throws PartnersLeftError When the events of some partners could not be removed, after those of all others were.
 */
export async function removeOldEvents(
  database: Database,
  days: number,
  { signal, except }: RemovalOptions = {},
): Promise<number> {
  const { pool, isDistributed } = database;
  const nodes = new NodeReader(database);
  const removeSome = (partnerId: string, limit: number) =>
    isDistributed
      ? inTransaction(database, USUAL_LOCK_TIMEOUT, (db) => deleteOldEventsOnNode(db, partnerId, { days, limit }))
      : deleteOldEvents(pool, partnerId, { days, limit });
  let sum = 0;
  const failed = (count: number) => `Old events of ${pluralise(count, 'partner')} could not be removed.`;
  const ask = askLong<{ readonly partnerId: string }>(database, { timeoutMs: LIST_WITHIN_MS });
  const rehearsed = new Set(await listPartnersWithOldRehearsals(nodes, days, ask));
  const lists = [rehearsed, await listPartnersWithOldTests(nodes, days, ask), await listPartnersWithOldEvents(nodes, days, ask)];
  const partners = [...new Set(lists.flatMap((partnerIds) => [...partnerIds]))]
    .filter((partnerId) => !except?.has(partnerId))
    .map((partnerId) => ({ partnerId }));
  await forEachPartner(nodes, partners, { signal, failed }, async ({ partnerId }) => {
    if (rehearsed.has(partnerId))
      await repeatWhileFull(AT_ONCE, (limit) => deleteOldRehearsals(pool, partnerId, { days, limit }), signal);
    await removeAll((limit) => deleteOldTests(pool, partnerId, { days, limit }), signal);
    sum += await removeAll((limit) => removeSome(partnerId, limit), signal);
  });
  return sum;
}

/**
 * An event may have more deliveries than are removed at once: a part that is not full may have others after it.
 *
 * @param remove Removes so many at most.
 */
async function removeAll(remove: (limit: number) => Promise<Removed>, signal: AbortSignal | undefined): Promise<number> {
  let [sum, isPartial] = [0, true];
  while (isPartial && !signal?.aborted) {
    const removed = await remove(AT_ONCE);
    sum += removed.count;
    isPartial = removed.isPartial;
  }
  return sum;
}
