import type { Database } from '../../store/database.ts';
import { watchEndpointsOf } from '../../store/webhooks/endpoint-watch.ts';
import { type EndedHandOver, endHandOver, type HandOver, listEndedHandOvers } from '../../store/webhooks/hand-over.ts';
import { COMMITTED_WITHIN_MS } from './claim-due.ts';

const AT_ONCE = 64;
/** How often hand-overs whose lease has ended are looked for. */
const LOOK_EVERY_MS = 2_000;
/** Rows that a snapshot keeps are read again only so often. */
const FROM_BEGINNING_EVERY_MS = 60_000;
const BEGINNING: HandOver = { leaseEndsAt: new Date(0), handOverId: '' };

interface EndingOptions {
  readonly database: Pick<Database, 'pool' | 'isDistributed'>;
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/**
 * Ends hand-overs of all processes whose lease has ended: their deliveries without a result are due for all. What cannot be released for
 * a partner is reported, holds up no other, and is tried again later: for the rest of these hand-overs that partner is left out.
 *
 * @returns A function that ends those there are now; `undefined` when it is not time to look for them. It throws nothing.
 */
export function openHandOverEnding({ database, signal, onError }: EndingOptions): () => Promise<void> | undefined {
  const { pool } = database;
  let [isEnding, lookedAtMs] = [false, Number.NEGATIVE_INFINITY];
  let [since, beganMs] = [BEGINNING, performance.now()];
  /** @param failed The partners that are left out, which grow. */
  const end = async (handOver: EndedHandOver, failed: Set<string>): Promise<void> => {
    const { partnerIds, failures } = await endHandOver(pool, handOver, { signal, without: failed });
    for (const [partnerId, failure] of failures) {
      failed.add(partnerId);
      onError(failure);
    }
    for (const partnerId of partnerIds) await watchEndpointsOf(pool, database, partnerId);
  };
  const endFrom = async (beginning: HandOver): Promise<void> => {
    const failed = new Set<string>();
    let last = beginning;
    for (;;) {
      const found = await listEndedHandOvers(pool, last, AT_ONCE);
      for (const handOver of found) {
        if (signal.aborted) return;
        await end(handOver, failed).catch(onError);
        last = handOver;
      }
      if (found.length > 0) since = { leaseEndsAt: new Date(last.leaseEndsAt.getTime() - COMMITTED_WITHIN_MS), handOverId: '' };
      if (found.length < AT_ONCE) return;
    }
  };
  const endAll = async (): Promise<void> => {
    if (performance.now() - beganMs >= FROM_BEGINNING_EVERY_MS) [since, beganMs] = [BEGINNING, performance.now()];
    await endFrom(since).catch(onError);
    isEnding = false;
  };
  return () => {
    if (isEnding || performance.now() - lookedAtMs < LOOK_EVERY_MS) return undefined;
    [isEnding, lookedAtMs] = [true, performance.now()];
    return endAll();
  };
}
