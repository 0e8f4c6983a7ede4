import { type BatchOptions, byPartner, createBatcher } from './batch-queue.ts';

export interface OneByOneOptions<Request, Outcome>
  extends Pick<BatchOptions<Request, Outcome>, 'waitingMax' | 'waitMaxMs' | 'sinceOf' | 'refusalOf'> {
  /** The most requests under way at the same time. */
  readonly concurrency: number;
  run(request: Request): Promise<Outcome>;
}

/**
 * Bounds how many requests are under way at the same time. The others wait; partners take turns.
 *
 * @returns A function that submits one request and resolves with its outcome.
 */
export function oneByOne<Request extends { readonly partnerId: string }, Outcome>({
  run,
  ...limits
}: OneByOneOptions<Request, Outcome>): (request: Request) => Promise<Outcome> {
  return createBatcher<Request, Outcome>({
    ...limits,
    batchMax: 1,
    shareOf: byPartner,
    run: (requests) => Promise.all(requests.map((request) => run(request))),
  });
}
