import { CommitUnknownError } from '../store/database.ts';
import { isDeadlock, isLockTimeout, isRefusedStatement } from '../store/database-errors.ts';
import { batched } from './batching.ts';

export interface CommitLanes {
  /** Batches under way at once, each on a connection of its own. */
  readonly batches: number;
  /** Requests that are told apart one by one at once. */
  readonly singles: number;
  /** Requests that wait for a twin's transaction at once. */
  readonly twins: number;
}

export interface GroupCommitOptions<Request, Outcome> {
  readonly lanes: CommitLanes;
  /** Where given, a batch holds requests of one group only. */
  readonly groupOf?: (request: Request) => string;
  /** What the request needs for itself alone: another transaction that holds one of them blocks it. */
  claimsOf(request: Request): readonly string[];
  /**
   * Commits the requests in one transaction.
   *
   * @returns For each request its outcome, or `undefined` where it was not inserted and has to be told apart singly.
   */
  commitBatch(requests: readonly Request[], lockTimeoutMs: number): Promise<readonly (Outcome | undefined)[]>;
  /** Settles one request alone: a replay, a conflict, or a transaction of its own. */
  commitAlone(request: Request, lockTimeoutMs: number): Promise<Outcome>;
  /** Looks once whether the request is stored, after a COMMIT that was not answered. Never inserts. */
  lookAgain(request: Request): Promise<Outcome>;
}

export interface GroupCommit<Request, Outcome> {
  /** Goes with the next batch. Resolves only after its commit. */
  submit(request: Request): Promise<Outcome>;
  /** For a request that may only replay: it never joins a batch. */
  submitAlone(request: Request): Promise<Outcome>;
}

const BATCH_MAX = 512;
const WAITING_MAX = 2_048;
/** The deadline of a request: whoever waited as long has been answered. */
const WAIT_MAX_MS = 5_000;
const DEADLOCK_RETRIES = 3;

/** How long a batch waits for a key that another transaction holds: longer than a commit takes, and short for its neighbours. */
const BATCH_LOCK_TIMEOUT_MS = 25;
/** How long a single request waits for it on the lane that it shares. */
const SINGLE_LOCK_TIMEOUT_MS = 100;
/** How long a request waits for its twin, on a lane where it holds up nobody else. */
const TWIN_LOCK_TIMEOUT_MS = 4_000;

/**
 * Commits requests that arrive together in one transaction: a durable commit costs the same for one and for a hundred.
 *
 * One bad or blocked request never fails its neighbours: what a batch cannot settle is settled one by one, and what is
 * blocked by a twin's transaction waits for it aside, as does from then on whatever claims the same. A deadlock is tried again. A connection lost before the COMMIT fails
 * the batch with an unknown outcome; a COMMIT without an answer is looked at once more, never inserted again.
 */
export function groupCommit<Request, Outcome>(options: GroupCommitOptions<Request, Outcome>): GroupCommit<Request, Outcome> {
  const { lanes, groupOf, claimsOf, commitBatch, commitAlone, lookAgain } = options;
  const limits = { waitingMax: WAITING_MAX, waitMaxMs: WAIT_MAX_MS };

  const queueForTwin = batched<Request, Outcome>({
    ...limits,
    lanes: lanes.twins,
    batchMax: 1,
    run: (requests) => Promise.all(requests.map((request) => commitAlone(request, TWIN_LOCK_TIMEOUT_MS))),
  });

  const blocked = new Set<Request>();
  const isBlocked = (request: Request): boolean => {
    if (blocked.size === 0) return false;
    const claims = claimsOf(request);
    return [...blocked].some((other) => claimsOf(other).some((claim) => claims.includes(claim)));
  };
  const awaitTwin = async (request: Request): Promise<Outcome> => {
    blocked.add(request);
    try {
      return await queueForTwin(request);
    } finally {
      blocked.delete(request);
    }
  };

  const submitAlone = batched<Request, Outcome>({
    ...limits,
    lanes: lanes.singles,
    batchMax: 1,
    run: async (requests) => {
      try {
        return await Promise.all(requests.map((request) => commitAlone(request, SINGLE_LOCK_TIMEOUT_MS)));
      } catch (error) {
        if (isLockTimeout(error)) return requests.map(awaitTwin);
        throw error;
      }
    },
  });

  const commit = async (
    requests: readonly Request[],
    retriesLeft = DEADLOCK_RETRIES,
  ): Promise<(Outcome | Promise<Outcome>)[]> => {
    try {
      const outcomes = await commitBatch(requests, BATCH_LOCK_TIMEOUT_MS);
      return requests.map((request, index) => outcomes[index] ?? submitAlone(request));
    } catch (error) {
      if (error instanceof CommitUnknownError) return requests.map(lookAgain);
      if (isDeadlock(error) && retriesLeft > 0) return commit(requests, retriesLeft - 1);
      if (isDeadlock(error) || isLockTimeout(error) || isRefusedStatement(error)) return requests.map(submitAlone);
      throw error;
    }
  };

  const submitToBatch = batched({
    ...limits,
    ...(groupOf && { groupOf }),
    lanes: lanes.batches,
    batchMax: BATCH_MAX,
    run: commit,
  });
  return { submit: (request) => (isBlocked(request) ? awaitTwin(request) : submitToBatch(request)), submitAlone };
}
