import { type BatchOptions, batched, byPartner } from './batch-queue.ts';

export interface OneByOneOptions<Request, Outcome> extends Pick<BatchOptions<Request, Outcome>, 'waitingMax' | 'waitMaxMs'> {
  /** How many requests may be under way at once. */
  readonly lanes: number;
  run(request: Request): Promise<Outcome>;
}

/**
 * Bounds how many requests are under way at once, each for itself; the others wait, and partners take turns.
 *
 * @returns A function that hands in one request and gives its outcome.
 */
export function oneByOne<Request extends { readonly partnerId: string }, Outcome>({
  run,
  ...limits
}: OneByOneOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  return batched<Request, Outcome>({
    ...limits,
    batchMax: 1,
    shareOf: byPartner,
    run: (requests) => Promise.all(requests.map((request) => run(request))),
  });
}
