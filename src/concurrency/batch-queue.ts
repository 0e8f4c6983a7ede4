/**
 * This folder says how work runs: together, in turn, again and again. It knows no subject, no SQL and no HTTP; whoever uses it says what
 * the work is.
 */

import { type ServiceError, unavailable } from '../domain/service-error.ts';
import { WaitingQueue } from './waiting-queue.ts';

export interface BatchOptions<Request, Outcome> {
  /** How many batches may be under way at once. */
  readonly lanes: number;
  /** The most requests of one batch. */
  readonly batchMax: number;
  /**
   * The most requests that wait, so that waiting time stays bounded. One more takes the place of the latest of whoever has the most
   * waiting, or is refused where its own sender has.
   */
  readonly waitingMax: number;
  /** A request that waited longer is given up unanswered by the database: its sender has stopped waiting. */
  readonly waitMaxMs: number;
  /** On whose behalf it is sent: where not all fit into a batch, each sends as many. */
  readonly shareOf: (request: Request) => string;
  /** Whether a batch holds requests of one share only. */
  readonly isOfOneShare?: boolean;
  /**
   * Does the work of one batch. An outcome may be a promise: the request then goes on without holding the lane.
   *
   * @returns An outcome for each request, in their order.
   */
  run(requests: readonly Request[]): Promise<readonly (Outcome | Promise<Outcome>)[]>;
}

/** How look-ups go together. */
export interface LookupLanes {
  /** Statements under way at once. */
  readonly lanes: number;
  /** Whether a statement looks up for one partner only. */
  readonly isOfOneShare: boolean;
}

interface Waiting<Request, Outcome> {
  readonly request: Request;
  readonly since: number;
  readonly resolve: (outcome: Outcome | Promise<Outcome>) => void;
  readonly reject: (reason: unknown) => void;
}

export function byPartner({ partnerId }: { readonly partnerId: string }): string {
  return partnerId;
}

/**
 * Requests that arrive while a batch is under way wait, and go together in the next. There are no timers: a request that
 * comes alone goes at once, in a batch of one.
 *
 * @returns A function that hands in one request and gives its outcome.
 */
export function batched<Request, Outcome>(options: BatchOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  const { lanes, batchMax, waitingMax, shareOf, isOfOneShare = false } = options;
  const waiting = new WaitingQueue<Waiting<Request, Outcome>>(({ request }) => shareOf(request));
  let underWay = 0;

  const runLane = async (): Promise<void> => {
    while (waiting.size > 0) {
      await runBatch(isOfOneShare ? waiting.takeOfOneShare(batchMax) : waiting.take(batchMax), options);
    }
    underWay--;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) {
        const displaced = waiting.displaceFor(shareOf(request));
        if (!displaced) return reject(overloaded());
        displaced.reject(overloaded());
      }
      waiting.add({ request, since: performance.now(), resolve, reject });
      if (underWay >= lanes) return;
      underWay++;
      setImmediate(runLane);
    });
}

async function runBatch<Request, Outcome>(
  waited: readonly Waiting<Request, Outcome>[],
  { waitMaxMs, run }: BatchOptions<Request, Outcome>,
): Promise<void> {
  const batch = waited.filter((each) => isStillWanted(each, waitMaxMs));
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

function isStillWanted<Request, Outcome>({ since, reject }: Waiting<Request, Outcome>, waitMaxMs: number): boolean {
  const isWanted = performance.now() - since <= waitMaxMs;
  if (!isWanted) reject(unavailable('The service is overloaded: the request waited too long.'));
  return isWanted;
}

function overloaded(): ServiceError {
  return unavailable('The service is overloaded.');
}
