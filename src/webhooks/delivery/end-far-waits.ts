import { repeatWhileFull } from '../../concurrency/repeat-while-full.ts';
import { DELIVERY_LEASE_MS } from '../../domain/webhooks/delivery-lease.ts';
import { BREAKER_MAX_MS } from '../../domain/webhooks/endpoint-health.ts';
import { DELAY_MAX_MS } from '../../domain/webhooks/retry-schedule.ts';
import type { Database } from '../../store/database.ts';
import type { NodeReader } from '../../store/node-reader.ts';
import { makeDeliveriesDue } from '../../store/webhooks/delivery.ts';
import { listFarEndpoints } from '../../store/webhooks/due-endpoint.ts';
import { closeEndpointBreaker } from '../../store/webhooks/endpoint-health.ts';
import { shortenHandOverLeases } from '../../store/webhooks/hand-over.ts';

const AT_ONCE = 1_000;
/** A pause or a lease began at the time of its transaction, which may end later. */
const MARGIN_MS = 60_000;

/**
 * Ends waits that no rule can have set, until a time that is farther than any delay, pause or lease: the clock of the database was ahead
 * when they began. They would last until it shows that time again, and nothing would be sent meanwhile. A living process may own a
 * delivery, so it has the time of a lease before anything is sent.
 */
export async function endFarWaits(database: Database, nodes: NodeReader): Promise<void> {
  const { pool } = database;
  await shortenHandOverLeases(pool, { leaseMs: DELIVERY_LEASE_MS, longerThanMs: DELIVERY_LEASE_MS + MARGIN_MS });
  const most = { delayMaxMs: DELAY_MAX_MS + MARGIN_MS, pauseMaxMs: BREAKER_MAX_MS + MARGIN_MS };
  for (const { isOpenTooLong, ...endpoint } of await listFarEndpoints(nodes, database, most)) {
    if (isOpenTooLong) await closeEndpointBreaker(pool, endpoint);
    const wait = { longerThanMs: most.delayMaxMs, dueInMs: DELIVERY_LEASE_MS };
    await repeatWhileFull(AT_ONCE, (limit) => makeDeliveriesDue(pool, endpoint, { ...wait, limit }));
  }
}
