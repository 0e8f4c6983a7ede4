/**
 * This folder controls how work runs: in batches, one after another, or repeatedly. It knows no SQL and no HTTP, and of the subjects
 * only that partners take turns and get a refusal that they may repeat; the caller provides the work.
 */

import { unavailable } from '../domain/service-error.ts';
import { WaitingQueue } from './waiting-queue.ts';

export interface BatchOptions<Request, Outcome> {
  /** The most batches under way at the same time. */
  readonly concurrency: number;
  /** The most requests of one batch. */
  readonly batchMax: number;
  /**
   * The most requests that wait, so that the waiting time is bounded. One more request replaces the latest request of the sender with the
   * most waiting requests. It is refused when that is its own sender.
   */
  readonly waitingMax: number;
  /** A request that waited longer is refused without a query: its sender no longer waits. */
  readonly waitMaxMs: number;
  /** Since when a request waits, as `performance.now()`, where it has waited elsewhere before; otherwise since its submission here. */
  readonly sinceOf?: (request: Request) => number;
  /** The sender of a request. When not all requests fit into a batch, each sender gets the same number of places. */
  readonly shareOf: (request: Request) => string;
  /** Whether a batch holds requests of one sender only. */
  readonly isOfOneShare?: boolean;
  /** What a request that waited is refused with instead of being run, by its sender. */
  readonly refusalOf?: ((share: string) => Error | undefined) | undefined;
  /** What a request is refused with that waits too long, or for which there is no place. */
  readonly refuse?: (message: string) => Error;
  /**
   * Does the work of one batch. An outcome may be a promise: the next batch does not wait for it.
   *
   * @returns An outcome for each request, in their order.
   */
  run(requests: readonly Request[]): Promise<readonly (Outcome | Promise<Outcome>)[]>;
}

/** How many of one kind run, and which of those that wait do not. */
export type Places = Pick<BatchOptions<unknown, unknown>, 'concurrency' | 'refusalOf'>;

/** How look-ups are batched. */
export interface LookupOptions extends Places {
  /** Whether a query reads the records of one partner only. */
  readonly isOfOneShare: boolean;
}

interface Waiting<Request, Outcome> {
  readonly request: Request;
  readonly since: number;
  readonly resolve: (outcome: Outcome | Promise<Outcome>) => void;
  readonly reject: (reason: unknown) => void;
}

const OVERLOADED = 'The service is overloaded.';
/** What a request is refused with whose sender no longer waits. */
export const WAITED_TOO_LONG = 'The service is overloaded: the request waited too long.';

export function byPartner({ partnerId }: { readonly partnerId: string }): string {
  return partnerId;
}

/**
 * Requests that arrive while a batch is under way wait for the next batch. There are no timers: a single request starts at once, in a
 * batch of one.
 *
 * @returns A function that submits one request and resolves with its outcome.
 */
export function createBatcher<Request, Outcome>(options: BatchOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  const { concurrency, batchMax, waitingMax, sinceOf, shareOf, isOfOneShare = false, refuse = unavailable } = options;
  const waiting = new WaitingQueue<Waiting<Request, Outcome>>(({ request }) => shareOf(request));
  let underWay = 0;

  const runBatches = async (): Promise<void> => {
    while (waiting.size > 0) {
      await runBatch(isOfOneShare ? waiting.takeOfOneShare(batchMax) : waiting.take(batchMax), options);
    }
    underWay--;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) {
        const displaced = waiting.displaceFor(shareOf(request));
        if (!displaced) return reject(refuse(OVERLOADED));
        displaced.reject(refuse(OVERLOADED));
      }
      waiting.add({ request, since: sinceOf?.(request) ?? performance.now(), resolve, reject });
      if (underWay >= concurrency) return;
      underWay++;
      setImmediate(runBatches);
    });
}

async function runBatch<Request, Outcome>(
  waited: readonly Waiting<Request, Outcome>[],
  { waitMaxMs, shareOf, refusalOf, refuse = unavailable, run }: BatchOptions<Request, Outcome>,
): Promise<void> {
  const batch = waited.filter(({ request, since, reject }) => {
    const isLate = performance.now() - since > waitMaxMs;
    const refusal = isLate ? refuse(WAITED_TOO_LONG) : refusalOf?.(shareOf(request));
    if (refusal) reject(refusal);
    return !refusal;
  });
  if (batch.length === 0) return;
  try {
    const outcomes = await run(batch.map(({ request }) => request));
    batch.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}
