import { CommitUnknownError } from '../store/database.ts';
import { isDeadlock, isLockTimeout, isRefusedStatement } from '../store/database-errors.ts';
import { batched } from './batching.ts';

export interface GroupCommitOptions<Request, Outcome> {
  readonly lanes: number;
  /** How many requests may be settled one by one at once, each on a connection of its own. */
  readonly singleLanes: number;
  /**
   * Commits the requests in one transaction that waits only briefly for a lock.
   *
   * @returns For each request its outcome, or `undefined` where it was not inserted and has to be told apart singly.
   */
  commitBatch(requests: readonly Request[]): Promise<readonly (Outcome | undefined)[]>;
  /** Settles one request alone: a replay, a conflict, or a transaction of its own that may wait for a twin. */
  commitAlone(request: Request): Promise<Outcome>;
  /** Looks once whether the request is stored, after a COMMIT that was not answered. Never inserts. */
  lookAgain(request: Request): Promise<Outcome>;
}

export interface GroupCommit<Request, Outcome> {
  /** Goes with the next batch. Resolves only after its commit. */
  submit(request: Request): Promise<Outcome>;
  /** For a request that may only replay: it never joins a batch. */
  submitAlone(request: Request): Promise<Outcome>;
}

const BATCH_MAX = 256;
const WAITING_MAX = 2_048;
/** The deadline of a request: whoever waited as long has been answered. */
const WAIT_MAX_MS = 5_000;
const DEADLOCK_RETRIES = 3;

/**
 * Commits requests that arrive together in one transaction: a durable commit costs the same for one and for a hundred.
 *
 * One bad or blocked request never fails its neighbours: what a batch cannot settle is settled one by one. A deadlock is
 * tried again. A connection lost before the COMMIT fails the batch with an unknown outcome; a COMMIT without an answer is
 * looked at once more, never inserted again.
 */
export function groupCommit<Request, Outcome>(options: GroupCommitOptions<Request, Outcome>): GroupCommit<Request, Outcome> {
  const limits = { waitingMax: WAITING_MAX, waitMaxMs: WAIT_MAX_MS };
  const submitAlone = batched<Request, Outcome>({
    ...limits,
    lanes: options.singleLanes,
    batchMax: 1,
    run: (requests) => Promise.all(requests.map(options.commitAlone)),
  });
  const commit = async (
    requests: readonly Request[],
    retriesLeft = DEADLOCK_RETRIES,
  ): Promise<(Outcome | Promise<Outcome>)[]> => {
    try {
      const outcomes = await options.commitBatch(requests);
      return requests.map((request, index) => outcomes[index] ?? submitAlone(request));
    } catch (error) {
      if (error instanceof CommitUnknownError) return requests.map(options.lookAgain);
      if (isDeadlock(error) && retriesLeft > 0) return commit(requests, retriesLeft - 1);
      if (isDeadlock(error) || isLockTimeout(error) || isRefusedStatement(error)) return requests.map(submitAlone);
      throw error;
    }
  };
  return { submit: batched({ ...limits, lanes: options.lanes, batchMax: BATCH_MAX, run: commit }), submitAlone };
}
