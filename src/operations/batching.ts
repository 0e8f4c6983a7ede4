import { unavailable } from '../domain/service-error.ts';

export interface BatchOptions<Request, Outcome> {
  /** How many batches may be under way at once. */
  readonly lanes: number;
  /** The most requests of one batch. */
  readonly batchMax: number;
  /** The most requests that wait; one more is refused, so that waiting time stays bounded. */
  readonly waitingMax: number;
  /** A request that waited longer is given up unanswered by the database: its sender has stopped waiting. */
  readonly waitMaxMs: number;
  /** Where given, a batch holds requests of one group only. */
  readonly groupOf?: (request: Request) => string;
  /**
   * Does the work of one batch. An outcome may be a promise: the request then goes on without holding the lane.
   *
   * @returns An outcome for each request, in their order.
   */
  run(requests: readonly Request[]): Promise<readonly (Outcome | Promise<Outcome>)[]>;
}

interface Waiting<Request, Outcome> {
  readonly request: Request;
  readonly since: number;
  readonly resolve: (outcome: Outcome | Promise<Outcome>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Requests that arrive while a batch is under way wait, and go together in the next. There are no timers: a request that
 * comes alone goes at once, in a batch of one.
 *
 * @returns A function that hands in one request and gives its outcome.
 */
export function batched<Request, Outcome>(options: BatchOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  const { lanes, waitingMax } = options;
  let waiting: Waiting<Request, Outcome>[] = [];
  let underWay = 0;

  const runLane = async (): Promise<void> => {
    while (waiting.length > 0) {
      const [batch, rest] = takeBatch(waiting, options);
      waiting = rest;
      await runBatch(batch, options);
    }
    underWay--;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= waitingMax) return reject(unavailable('The service is overloaded.'));
      waiting.push({ request, since: performance.now(), resolve, reject });
      if (underWay >= lanes) return;
      underWay++;
      setImmediate(runLane);
    });
}

type Split<Request, Outcome> = [batch: Waiting<Request, Outcome>[], rest: Waiting<Request, Outcome>[]];

/** The next batch, oldest first, and what waits on. */
function takeBatch<Request, Outcome>(
  waiting: Waiting<Request, Outcome>[],
  { batchMax, groupOf }: BatchOptions<Request, Outcome>,
): Split<Request, Outcome> {
  const [first] = waiting;
  if (!groupOf || !first) return [waiting.slice(0, batchMax), waiting.slice(batchMax)];
  const group = groupOf(first.request);
  const [batch, rest]: Split<Request, Outcome> = [[], []];
  for (const each of waiting) (batch.length < batchMax && groupOf(each.request) === group ? batch : rest).push(each);
  return [batch, rest];
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
  if (!isWanted) reject(unavailable('The service is overloaded and did not get to the request in time.'));
  return isWanted;
}
