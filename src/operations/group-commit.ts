import { batched, byPartner } from '../concurrency/batch-queue.ts';
import { oneByOne } from '../concurrency/one-by-one.ts';
import { unavailable } from '../domain/service-error.ts';
import { isDeadlock, isLockTimeout, isRefusedStatement, violatedKey } from '../store/database-errors.ts';
import { CommitUnknownError } from '../store/transaction.ts';

export interface CommitLanes {
  /** Batches under way at once, each on a connection of its own. */
  readonly batches: number;
  /** Requests that are settled one by one at once. */
  readonly singles: number;
  /** Requests that wait for a twin's transaction at once. */
  readonly twins: number;
}

export interface GroupCommitOptions<Request, Stored, Outcome> {
  readonly lanes: CommitLanes;
  /** Whether what goes together is of one partner. */
  readonly isOfOneShare: boolean;
  /** What the request needs for itself alone: another transaction that holds one of them blocks it. */
  claimsOf(request: Request): readonly string[];
  /**
   * Commits the requests in one transaction.
   *
   * @returns For each request its outcome, or `undefined` where it was not inserted and has to be told apart.
   */
  commitBatch(requests: readonly Request[], lockTimeoutMs: number): Promise<readonly (Outcome | undefined)[]>;
  /** Reads at once what is stored under the claims of each request. */
  findStored(requests: readonly Request[]): Promise<readonly Stored[]>;
  /** Judges a request by what is stored: its outcome, a refusal that is thrown, or `undefined` when nothing stands against it. */
  tellApart(request: Request, stored: Stored): Outcome | undefined;
  /** The outcome of a request whose COMMIT was not answered, if what is stored tells; a conflict is thrown. */
  tellOutcome(request: Request, stored: Stored): Outcome | undefined;
}

export interface GroupCommit<Request, Outcome> {
  /** Goes with the next batch. Resolves only after its commit. */
  submit(request: Request): Promise<Outcome>;
  /** For a request that may only replay: it never joins a batch. */
  submitAlone(request: Request): Promise<Outcome>;
}

/** Thrown by a batch whose members were judged by what turned out otherwise: nothing is stored, and each is judged anew. */
export class BatchOvertakenError extends Error {
  override readonly name = 'BatchOvertakenError';
}

const BATCH_MAX = 512;
/** What a batch cannot settle goes in batches of this size before it goes alone. */
const SMALL_BATCH_MAX = 16;
/** A request that waited for its deadline has been answered. */
const LIMITS = { waitingMax: 2_048, waitMaxMs: 5_000 };
const DEADLOCK_RETRIES = 3;
const ATTEMPTS = 3;

/** How long a batch waits for a key that another transaction holds: longer than a commit takes, and short for its neighbours. */
const BATCH_LOCK_TIMEOUT_MS = 25;
/** How long a single request waits for it on the lane that it shares. */
const SINGLE_LOCK_TIMEOUT_MS = 100;
/** How long a request waits for its twin, on a lane where it holds up nobody else. */
const TWIN_LOCK_TIMEOUT_MS = 4_000;

/**
 * Commits requests that arrive together in one transaction: a durable commit costs the same for one and for a hundred.
 *
 * What a batch did not insert is read, again together, and told apart: a replay, a conflict, or a request that goes alone.
 * One bad or blocked request never fails its neighbours: a batch that fails for it is settled in smaller ones and then one by
 * one, and what a twin's transaction blocks waits for it aside, as does from then on whatever claims the same. A deadlock is
 * tried again. A COMMIT without an answer is looked at once more, never inserted again.
 */
export function groupCommit<Request extends { readonly partnerId: string }, Stored, Outcome>(
  options: GroupCommitOptions<Request, Stored, Outcome>,
): GroupCommit<Request, Outcome> {
  return new QueuedCommits(options);
}

/** Resolves with the outcome of one request. */
type Settle<Request, Outcome> = (request: Request) => Promise<Outcome>;

/** From the first queue to the last: batches, small batches, single requests, requests that a twin blocks. */
class QueuedCommits<Request extends { readonly partnerId: string }, Stored, Outcome> implements GroupCommit<Request, Outcome> {
  readonly #options: GroupCommitOptions<Request, Stored, Outcome>;
  readonly #find: Settle<Request, Stored>;
  readonly #submitToBatch: Settle<Request, Outcome>;
  readonly #submitToSmallBatch: Settle<Request, Outcome>;
  readonly #settleSingle: Settle<Request, Outcome | undefined>;
  readonly #queueForTwin: Settle<Request, Outcome>;
  /** What waits for a twin. */
  readonly #blocked = new Set<Request>();

  constructor(options: GroupCommitOptions<Request, Stored, Outcome>) {
    const { lanes, isOfOneShare, findStored } = options;
    const together = { ...LIMITS, shareOf: byPartner, isOfOneShare };
    this.#options = options;
    this.#find = batched<Request, Stored>({ ...together, lanes: 1, batchMax: BATCH_MAX, run: findStored });
    this.#submitToBatch = batched<Request, Outcome>({
      ...together,
      lanes: lanes.batches,
      batchMax: BATCH_MAX,
      run: (requests) => this.#commit(requests, requests.length > SMALL_BATCH_MAX ? this.#submitToSmallBatch : this.#settleAlone),
    });
    this.#submitToSmallBatch = batched<Request, Outcome>({
      ...together,
      lanes: 1,
      batchMax: SMALL_BATCH_MAX,
      run: (requests) => this.#commit(requests, this.#settleAlone),
    });
    this.#settleSingle = oneByOne({ ...LIMITS, lanes: lanes.singles, run: (request) => this.#commitUnlessBlocked(request) });
    this.#queueForTwin = oneByOne({
      ...LIMITS,
      lanes: lanes.twins,
      run: (request) => this.#commitAlone(request, TWIN_LOCK_TIMEOUT_MS),
    });
  }

  submit(request: Request): Promise<Outcome> {
    return this.#isBlocked(request) ? this.#awaitTwin(request) : this.#submitToBatch(request);
  }

  async submitAlone(request: Request): Promise<Outcome> {
    return this.#options.tellApart(request, await this.#find(request)) ?? this.#settleAlone(request);
  }

  /** Commits a batch, or hands its members on when it cannot be settled as a whole. */
  async #commit(
    requests: readonly Request[],
    handOn: Settle<Request, Outcome>,
    retriesLeft = DEADLOCK_RETRIES,
  ): Promise<(Outcome | Promise<Outcome>)[]> {
    try {
      const outcomes = await this.#options.commitBatch(requests, BATCH_LOCK_TIMEOUT_MS);
      return requests.map((request, index) => outcomes[index] ?? this.submitAlone(request));
    } catch (error) {
      if (error instanceof CommitUnknownError) return requests.map((request) => this.#lookAgain(request));
      if (isDeadlock(error) && retriesLeft > 0) return this.#commit(requests, handOn, retriesLeft - 1);
      if (!isForSmallerBatches(error)) throw error;
      return requests.map(handOn);
    }
  }

  readonly #settleAlone = async (request: Request): Promise<Outcome> =>
    (await this.#settleSingle(request)) ?? this.#awaitTwin(request);

  /** `undefined` when another transaction holds what the request needs. */
  async #commitUnlessBlocked(request: Request): Promise<Outcome | undefined> {
    try {
      return await this.#commitAlone(request, SINGLE_LOCK_TIMEOUT_MS);
    } catch (error) {
      if (isLockTimeout(error)) return undefined;
      throw error;
    }
  }

  async #commitAlone(request: Request, lockTimeoutMs: number): Promise<Outcome> {
    const { tellApart, commitBatch } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const known = tellApart(request, await this.#find(request));
      if (known) return known;
      try {
        const [outcome] = await commitBatch([request], lockTimeoutMs);
        if (outcome) return outcome;
      } catch (error) {
        if (error instanceof CommitUnknownError) return this.#lookAgain(request);
        // Another transaction took what this one needs, or won a deadlock: what it left is there to be read now.
        if (violatedKey(error) === undefined && !isDeadlock(error)) throw error;
      }
    }
    throw unavailable('Concurrent requests for the same record interfered; the outcome is not known yet.');
  }

  async #lookAgain(request: Request): Promise<Outcome> {
    const outcome = this.#options.tellOutcome(request, await this.#find(request));
    if (outcome) return outcome;
    throw unavailable('The database did not answer the commit; whether the request is recorded is not known yet.');
  }

  #isBlocked(request: Request): boolean {
    if (this.#blocked.size === 0) return false;
    const { claimsOf } = this.#options;
    const claims = claimsOf(request);
    return [...this.#blocked].some((other) => claimsOf(other).some((claim) => claims.includes(claim)));
  }

  async #awaitTwin(request: Request): Promise<Outcome> {
    this.#blocked.add(request);
    try {
      return await this.#queueForTwin(request);
    } finally {
      this.#blocked.delete(request);
    }
  }
}

/** What concerns some of a batch's members, or no longer any: smaller batches find out whom. */
function isForSmallerBatches(error: unknown): boolean {
  return isDeadlock(error) || isLockTimeout(error) || isRefusedStatement(error) || error instanceof BatchOvertakenError;
}
