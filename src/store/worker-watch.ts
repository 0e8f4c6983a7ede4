import { canPrepare, type Database } from './database.ts';
import { UnfitDatabaseError } from './database-problem.ts';
import { listWorkerProblems, readWorkerSettings, type Worker } from './durability.ts';

/** Of the pool of the watch, which no look at the coordinator shares: a worker that does not answer holds up none of them. */
export const WORKERS_POOL_SIZE = 1;

/** The settings of a worker change seldom, and to ask for them opens a connection to each. */
const ASK_EVERY_MS = 60_000;
const ASK_AGAIN_MS = 5_000;

/** Knows whether a crash of a worker of a cluster would lose what it has committed, also of one that was silent or missing at the start. */
export class WorkerWatch {
  readonly #pool: Database['pool'];
  readonly #askEveryMs: number;
  /** As they were when the service started. */
  #askedAtMs = performance.now();
  #isAsking = false;
  #problems: readonly string[] = [];

  /** @param database With {@link WORKERS_POOL_SIZE} connections that no work takes. */
  constructor({ pool }: Pick<Database, 'pool'>, askEveryMs = ASK_EVERY_MS) {
    this.#pool = pool;
    this.#askEveryMs = askEveryMs;
  }

  /**
   * Does not wait for the workers: when it is time, they are asked for the next call.
   *
   * @throws UnfitDatabaseError With what is wrong with the workers that answered last.
   */
  requireDurable(): void {
    const everyMs = this.#problems.length > 0 ? Math.min(ASK_AGAIN_MS, this.#askEveryMs) : this.#askEveryMs;
    // A cluster that cannot be asked has the settings of before.
    if (!this.#isAsking && performance.now() - this.#askedAtMs >= everyMs) void this.#ask().catch(() => {});
    if (this.#problems.length > 0) throw new UnfitDatabaseError('not_durable', this.#problems.join(' '));
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      const workers = await readWorkerSettings({ pool: this.#pool });
      // Behind a transaction pooler a session has no level of its own for its transactions to set.
      this.#problems = listWorkerProblems(canPrepare(this.#pool) ? workers.map(keepingCommits) : workers);
    } finally {
      this.#isAsking = false;
      this.#askedAtMs = performance.now();
    }
  }
}

/**
 * As each transaction of the service has it, which sets the level of its commits on the worker, too. A statement outside of a transaction,
 * such as the end of a list's upload, has the level of the worker's role.
 */
function keepingCommits(worker: Worker): Worker {
  return { ...worker, settings: worker.settings && { ...worker.settings, synchronousCommit: 'on' } };
}
