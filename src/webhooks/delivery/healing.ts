import { repeat } from '../../concurrency/repeat.ts';
import { pluralise } from '../../domain/pluralise.ts';
import { forEachPartner } from '../../operations/for-each-partner.ts';
import { eachPartner } from '../../store/access/partner.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { insertEventCounter, listEventCounters } from '../../store/events/event.ts';
import { askLong, NodeReader } from '../../store/node-reader.ts';
import { allowLongStatements } from '../../store/query.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { reopenDueDeliveries } from '../../store/webhooks/endpoint-health.ts';
import { watchWaitingEndpoints } from '../../store/webhooks/endpoint-watch.ts';
import { endFarWaits } from './end-far-waits.ts';

const HEAL_EVERY_MS = 60_000;
/** It reads rows that a snapshot has kept for hours. */
const REOPEN_WITHIN_MS = 60_000;

/**
 * Corrects, again and again, what the dispatcher does not find by itself. Any number of processes may run it.
 *
 * @returns A function that stops it.
 */
export function keepHealing(database: Database, onError: (error: unknown) => void): () => Promise<void> {
  const nodes = new NodeReader(database, onError);
  const work = async () => {
    // What one of them cannot do holds up no other.
    await endFarWaits(database, nodes).catch(onError);
    await reopenDue(database, nodes).catch(onError);
    await makeMissingCounters(database, nodes);
  };
  return repeat({ pauseMs: HEAL_EVERY_MS, onError, work });
}

/** Makes the counters of partners that were created while an older version of the service ran beside this one. */
export async function makeMissingCounters(database: Database, nodes: NodeReader): Promise<void> {
  const { pool } = database;
  const present = new Set(await listEventCounters(nodes));
  const failed = (count: number) => `The event counters of ${pluralise(count, 'partner')} could not be made.`;
  await forEachPartner(nodes, eachPartner(pool), { failed }, async ({ partnerId }) => {
    if (!present.has(partnerId)) await insertEventCounter(pool, partnerId);
  });
}

/**
 * Lets the dispatchers find what they would not look for: deliveries that were committed too late for them to expect, or by an older version
 * that does not watch endpoints. It watches every endpoint with a waiting delivery, also where somebody holds the row of one that is to be
 * reopened. Each of the two takes a minute at most.
 */
export async function reopenDue(database: Database, nodes: NodeReader): Promise<void> {
  const time = { timeoutMs: REOPEN_WITHIN_MS };
  const watch = async (db: Queryable) => {
    await allowLongStatements(db, time);
    await watchWaitingEndpoints(db, database, time);
  };
  try {
    await reopenDueDeliveries(nodes, database, askLong(database, time));
  } finally {
    if (!database.isDistributed) await inTransaction(database, USUAL_LOCK_TIMEOUT, watch);
  }
}
