import { type BatchOptions, byPartner, createBatcher, WAITED_TOO_LONG } from '../concurrency/batch-queue.ts';
import { oneByOne } from '../concurrency/one-by-one.ts';
import { unavailable } from '../domain/service-error.ts';
import type { OnStored } from '../store/bulk-rows.ts';
import { isDeadlock, isLockTimeout, isRefusedStatement, violatedKey } from '../store/database-errors.ts';
import { CommitUnknownError, GivenUpError } from '../store/transaction.ts';

/** What every request has that is committed in groups. */
export interface GroupedRequest {
  readonly partnerId: string;
  /** `performance.now()` when its work began: past {@link DEADLINE_MS} no attempt to commit it begins, in whichever queue it waits. */
  readonly submittedAtMs: number;
}

export interface CommitConcurrency {
  /** The most batches under way at the same time, each on a connection of its own. */
  readonly batches: number;
  /** The most single requests under way at the same time. */
  readonly singles: number;
  /** The most concurrent duplicates that wait for another transaction at the same time. */
  readonly duplicates: number;
}

/** How a batch is committed. */
export interface CommitBatchOptions {
  /** How long it may wait for a lock of another transaction. */
  readonly lockTimeoutMs: number;
  /** `performance.now()` past which no request of the batch is to wait for anything. */
  readonly deadlineMs: number;
  /** `fail` where no request of the batch is expected to have a key that is stored; the batch is then committed again with `skip`. */
  readonly onStored: OnStored;
}

export interface GroupCommitOptions<Request, Stored, Outcome> {
  readonly concurrency: CommitConcurrency;
  /** Whether a batch holds requests of one partner only. */
  readonly isOfOneShare: boolean;
  /** What a request that waits is refused with, by its partner. */
  readonly refusalOf?: BatchOptions<Request, Outcome>['refusalOf'];
  /** The keys that only one request may hold. A transaction that holds one of them blocks the request. */
  conflictKeysOf(request: Request): readonly string[];
  /**
   * Commits the requests in one transaction.
   *
   * @returns For each request its outcome, or `undefined` where it was not inserted and has to be classified.
   */
  commitBatch(requests: readonly Request[], options: CommitBatchOptions): Promise<readonly (Outcome | undefined)[]>;
  /** Reads what is stored under the conflict keys of each request, in one query. */
  findStored(requests: readonly Request[]): Promise<readonly Stored[]>;
  /** Compares a request with what is stored: returns its outcome, throws its refusal, or returns `undefined` when nothing conflicts. */
  classifyConflict(request: Request, stored: Stored): Outcome | undefined;
  /** The outcome of a request whose COMMIT had no answer, when its own record is stored. Throws for a conflict. */
  findOwnOutcome(request: Request, stored: Stored): Outcome | undefined;
}

/** A batch decided its requests by data that had changed. Nothing is stored; each request is decided again. */
export class StaleBatchError extends GivenUpError {
  override readonly name = 'StaleBatchError';
}

/**
 * About half of what one partner has in flight under overload: while the database commits one half, the service works on the other. With all
 * in one batch each of the two waits for the other.
 *
 * @see docs/decisions/0015-group-commit.md#decision
 */
const BATCH_MAX = 256;
/** A batch that fails is split into batches of this size, then into single requests. */
const SMALL_BATCH_MAX = 16;
/**
 * A request whose work began earlier has been answered already. Its credential was read before that, and a revoked one records nothing for
 * long.
 *
 * @see docs/spec/decisions.md#5-api-keys.
 */
const DEADLINE_MS = 5_000;
const LIMITS = { waitingMax: 2_048, waitMaxMs: DEADLINE_MS };
const DEADLOCK_RETRIES = 3;
const ATTEMPTS = 3;
/** After a batch with a stored key so many batches without one have to follow before the next one may fail for it. */
const BATCHES_WITHOUT_STORED = 64;

/**
 * How long a batch, and each request in it, waits for a lock of another transaction: longer than most commits take without a standby. A
 * batch of a partner with a daily cap waits longer for the day, and then as long as this.
 */
const BATCH_LOCK_TIMEOUT_MS = 25;
/**
 * How long a single request waits for such a lock, and those behind it where no place is free. One of a partner with a daily cap waits as
 * long as a batch.
 */
const SINGLE_LOCK_TIMEOUT_MS = 100;
/** How long a concurrent duplicate waits. Its queue is separate, so it delays no other request. */
const DUPLICATE_LOCK_TIMEOUT_MS = 4_000;

/** Resolves with the outcome of one request. */
type Settle<Request, Outcome> = (request: Request) => Promise<Outcome>;

/**
 * Commits requests that arrive together in one transaction: a durable commit costs the same for one and for a hundred.
 *
 * A large batch is first inserted as if all of its keys were new, which costs the database less; where one is stored, it is inserted again
 * without the requests whose keys are. One query reads what conflicts with the requests that a batch did not insert, and each is
 * classified: a replay, a conflict, or a request that is committed alone. A bad or blocked request never fails another: a batch that it stops is split into smaller batches,
 * then into single requests. A request blocked by a concurrent duplicate waits in a separate queue, at most 4 s; later requests with the
 * same conflict keys wait there too. A deadlock is retried. A COMMIT without an answer is never sent again: the record is read instead.
 *
 * The queues, in order: batches, small batches, single requests, concurrent duplicates.
 */
export class GroupCommit<Request extends GroupedRequest, Stored, Outcome> {
  readonly #options: GroupCommitOptions<Request, Stored, Outcome>;
  readonly #find: Settle<Request, Stored>;
  readonly #submitToBatch: Settle<Request, Outcome>;
  readonly #submitToSmallBatch: Settle<Request, Outcome>;
  readonly #settleSingle: Settle<Request, Outcome | undefined>;
  readonly #queueForDuplicate: Settle<Request, Outcome>;
  /** By conflict key, how many concurrent duplicates that wait have it. */
  readonly #blocked = new Map<string, number>();
  /** How many batches without a stored key have to follow. */
  #batchesWithoutStoredLeft = 0;

  constructor(options: GroupCommitOptions<Request, Stored, Outcome>) {
    const { concurrency, isOfOneShare, refusalOf, findStored } = options;
    const limits = { ...LIMITS, refusalOf, sinceOf: ({ submittedAtMs }: Request) => submittedAtMs };
    const together = { ...limits, shareOf: byPartner, isOfOneShare };
    // A read is no attempt to commit: after a COMMIT without an answer the record is looked for, however late it is.
    const reading = { ...LIMITS, refusalOf, shareOf: byPartner, isOfOneShare };
    this.#options = options;
    this.#find = createBatcher<Request, Stored>({ ...reading, concurrency: 1, batchMax: BATCH_MAX, run: findStored });
    this.#submitToBatch = createBatcher<Request, Outcome>({
      ...together,
      concurrency: concurrency.batches,
      batchMax: BATCH_MAX,
      run: (requests) => this.#commit(requests, requests.length > SMALL_BATCH_MAX ? this.#submitToSmallBatch : this.#settleAlone),
    });
    this.#submitToSmallBatch = createBatcher<Request, Outcome>({
      ...together,
      concurrency: 1,
      batchMax: SMALL_BATCH_MAX,
      run: (requests) => this.#commit(requests, this.#settleAlone),
    });
    this.#settleSingle = oneByOne({
      ...limits,
      concurrency: concurrency.singles,
      run: (request) => this.#commitUnlessBlocked(request),
    });
    this.#queueForDuplicate = oneByOne({
      ...limits,
      concurrency: concurrency.duplicates,
      run: (request) => this.#commitAlone(request, DUPLICATE_LOCK_TIMEOUT_MS),
    });
  }

  /** Adds the request to the next batch. Resolves only after its commit. */
  submit(request: Request): Promise<Outcome> {
    return this.#isBlocked(request) ? this.#awaitDuplicate(request) : this.#submitToBatch(request);
  }

  /** For a request that may only replay: it never joins a batch. */
  async submitAlone(request: Request): Promise<Outcome> {
    return this.#options.classifyConflict(request, await this.#find(request)) ?? this.#settleAlone(request);
  }

  /** Commits a batch, or passes its requests on when it fails as a whole. */
  async #commit(
    requests: readonly Request[],
    passOn: Settle<Request, Outcome>,
    retriesLeft = DEADLOCK_RETRIES,
  ): Promise<(Outcome | Promise<Outcome>)[]> {
    const onStored = requests.length > SMALL_BATCH_MAX && this.#batchesWithoutStoredLeft === 0 ? 'fail' : 'skip';
    try {
      const options: CommitBatchOptions = { lockTimeoutMs: BATCH_LOCK_TIMEOUT_MS, deadlineMs: deadlineOf(requests), onStored };
      const outcomes = await this.#options.commitBatch(requests, options);
      this.#noteBatch(outcomes.includes(undefined));
      return requests.map((request, index) => outcomes[index] ?? this.submitAlone(request));
    } catch (error) {
      if (error instanceof CommitUnknownError) return requests.map((request) => this.#lookAgain(request));
      if (onStored === 'fail' && violatedKey(error) !== undefined) {
        this.#noteBatch(true);
        return this.#commit(requests, passOn, retriesLeft);
      }
      if (isDeadlock(error) && retriesLeft > 0) return this.#commit(requests, passOn, retriesLeft - 1);
      if (!isForSmallerBatches(error)) throw error;
      return requests.map(passOn);
    }
  }

  #noteBatch(hasStored: boolean): void {
    this.#batchesWithoutStoredLeft = hasStored ? BATCHES_WITHOUT_STORED : Math.max(this.#batchesWithoutStoredLeft - 1, 0);
  }

  readonly #settleAlone = async (request: Request): Promise<Outcome> =>
    (await this.#settleSingle(request)) ?? this.#awaitDuplicate(request);

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
    const { classifyConflict, commitBatch } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const known = classifyConflict(request, await this.#find(request));
      if (known) return known;
      const leftMs = timeLeftMs(request);
      const deadlineMs = deadlineOf([request]);
      const options: CommitBatchOptions = { lockTimeoutMs: Math.min(lockTimeoutMs, leftMs), deadlineMs, onStored: 'skip' };
      try {
        const [outcome] = await commitBatch([request], options);
        if (outcome) return outcome;
      } catch (error) {
        if (error instanceof CommitUnknownError) return this.#lookAgain(request);
        // Another transaction took a key, or won a deadlock. Its record can be read now.
        if (violatedKey(error) === undefined && !isDeadlock(error)) throw error;
      }
    }
    throw unavailable('Concurrent requests for the same record interfered; the outcome is not known yet.');
  }

  async #lookAgain(request: Request): Promise<Outcome> {
    const outcome = this.#options.findOwnOutcome(request, await this.#find(request));
    if (outcome) return outcome;
    throw unavailable('The database did not answer the commit; whether the request is recorded is not known yet.');
  }

  #isBlocked(request: Request): boolean {
    if (this.#blocked.size === 0) return false;
    return this.#options.conflictKeysOf(request).some((key) => this.#blocked.has(key));
  }

  async #awaitDuplicate(request: Request): Promise<Outcome> {
    const keys = this.#options.conflictKeysOf(request);
    for (const key of keys) this.#blocked.set(key, (this.#blocked.get(key) ?? 0) + 1);
    try {
      return await this.#queueForDuplicate(request);
    } finally {
      for (const key of keys) this.#unblock(key);
    }
  }

  #unblock(key: string): void {
    const left = (this.#blocked.get(key) ?? 0) - 1;
    if (left > 0) this.#blocked.set(key, left);
    else this.#blocked.delete(key);
  }
}

/** That of the request whose work began first. */
function deadlineOf(requests: readonly GroupedRequest[]): number {
  return Math.min(...requests.map(({ submittedAtMs }) => submittedAtMs)) + DEADLINE_MS;
}

/** How long a request may still take, at least a millisecond. @throws ServiceError `internal_service_unavailable` past its deadline. */
function timeLeftMs(request: GroupedRequest): number {
  const leftMs = deadlineOf([request]) - performance.now();
  if (leftMs < 1) throw unavailable(WAITED_TOO_LONG);
  return leftMs;
}

/** Whether the error concerns only some requests of the batch. Smaller batches find out which. */
function isForSmallerBatches(error: unknown): boolean {
  return isDeadlock(error) || isLockTimeout(error) || isRefusedStatement(error) || error instanceof StaleBatchError;
}
