import type { Database } from '../../store/database.ts';
import { watchEndpointsOf } from '../../store/webhooks/endpoint-watch.ts';
import { endHandOver, listEndedHandOvers } from '../../store/webhooks/hand-over.ts';
import { COMMITTED_WITHIN_MS } from './claim-due.ts';

const AT_ONCE = 64;
/** Rows that a snapshot keeps are read again only so often. */
const FROM_BEGINNING_EVERY_MS = 60_000;
const BEGINNING = new Date(0);

/** Ends hand-overs of all processes whose lease has ended: their deliveries without a result are due for all. */
export function rememberEnded(database: Pick<Database, 'pool' | 'isDistributed'>): () => Promise<void> {
  const { pool } = database;
  let [since, beganMs] = [BEGINNING, performance.now()];
  return async () => {
    if (performance.now() - beganMs >= FROM_BEGINNING_EVERY_MS) [since, beganMs] = [BEGINNING, performance.now()];
    for (let found = AT_ONCE; found === AT_ONCE; ) {
      const ended = await listEndedHandOvers(pool, since, AT_ONCE);
      for (const handOver of ended)
        for (const partnerId of await endHandOver(pool, handOver)) await watchEndpointsOf(pool, database, partnerId);
      found = ended.length;
      const last = ended.at(-1);
      if (last) since = new Date(last.leaseEndsAt.getTime() - COMMITTED_WITHIN_MS);
    }
  };
}
