import { unavailable } from '../domain/service-error.ts';
import { CANCEL_WAITS_ON_WORKERS } from './cancel-work.ts';
import type { Database } from './database.ts';
import { isCanceled } from './database-errors.ts';
import { isWithoutWorker, lateWorker, problemOf } from './database-problem.ts';
import { findNodeOf, LOOK_AT_NODE, type LostNode, type PartnersOfNode } from './node-reader.ts';
import { run } from './query.ts';

export const LOOK_SETTINGS = [
  // So that each look connects to the node: an earlier connection of the coordinator would wait for a node that went without a word.
  'citus.max_cached_conns_per_worker=0',
  // Less than a commit may take, and longer than those take on a node that is only slow.
  'statement_timeout=4000',
  // A table that is locked, as while its part moves to another node, says nothing of the node.
  'lock_timeout=1000',
];
export const LOOK_POOL_SIZE = 1;

const LOOK_AGAIN_MS = 1_000;
const REFUSAL = 'The part of the database with your records does not answer. Look up or retry after the time in Retry-After.';

/** Knows the nodes of a distributed database that do not answer, or whose commits wait, so that requests of their partners do not wait for them. */
export interface NodeWatch {
  /** Work for the partner takes long: its node is looked at. */
  readonly suspect: (partnerId: string) => void;
  /** What work for the partner is refused with; `undefined` unless its node was found lost and does not answer since then. */
  readonly refusalOf: (partnerId: string) => Error | undefined;
  close(): void;
}

/**
 * @param database With {@link LOOK_POOL_SIZE} connections that no work takes, and {@link LOOK_SETTINGS}.
 * @param onFailure Called at each look that gets no connection to a node, or no answer in time, with the words of the coordinator.
 */
export function openNodeWatch(database: Pick<Database, 'pool'>, onFailure: (failure: unknown) => void): NodeWatch {
  return new LookingNodeWatch(database, onFailure);
}

class LookingNodeWatch implements NodeWatch {
  readonly #pool: Database['pool'];
  readonly #onFailure: (failure: unknown) => void;
  readonly #lost = new Map<number, LostNode>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor({ pool }: Pick<Database, 'pool'>, onFailure: (failure: unknown) => void) {
    this.#pool = pool;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.#look([...this.#lost.values()].flatMap(firstOf)), LOOK_AGAIN_MS);
    this.#timer.unref();
  }

  readonly suspect = (partnerId: string): void => {
    if (!this.#find(partnerId)) void this.#look([partnerId]);
  };

  readonly refusalOf = (partnerId: string): Error | undefined => {
    const found = this.#find(partnerId);
    return found && unavailable(REFUSAL, { cause: found.failure });
  };

  close(): void {
    clearInterval(this.#timer);
  }

  #find(partnerId: string): LostNode | undefined {
    return this.#lost.values().find(({ partnerIds }) => partnerIds.has(partnerId));
  }

  /** One look at a time: whoever waits meanwhile is suspected again by the next request. */
  async #look(partnerIds: readonly string[]): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const partnerId of partnerIds) await this.#lookAt(partnerId).catch(() => {});
    this.#isLooking = false;
  }

  /**
   * Only the words of the coordinator about the node, or no answer in time to a read that waits as the commits there do, tell that it is lost,
   * and only an answer that it is back: also that it has no free connection.
   */
  async #lookAt(partnerId: string): Promise<void> {
    try {
      await run(this.#pool, LOOK_AT_NODE, [partnerId]);
      this.#forget(partnerId);
    } catch (failure) {
      if (isCanceled(failure)) {
        await this.#setLost(partnerId, ({ node }) => lateWorker(node, failure as Error));
        return void (await run(this.#pool, CANCEL_WAITS_ON_WORKERS, []));
      }
      const problem = problemOf(failure);
      if (!isWithoutWorker(problem)) return;
      if (problem?.reason === 'worker_lost') return this.#setLost(partnerId, () => failure);
      this.#onFailure(failure);
      this.#forget(partnerId);
    }
  }

  /** @param explain Gives the failure to tell. */
  async #setLost(partnerId: string, explain: (node: PartnersOfNode) => unknown): Promise<void> {
    const node = await findNodeOf(this.#pool, partnerId);
    if (!node) return;
    const failure = explain(node);
    this.#onFailure(failure);
    this.#lost.set(node.groupId, { partnerIds: new Set(node.partnerIds), failure });
  }

  #forget(partnerId: string): void {
    for (const [groupId, { partnerIds }] of this.#lost) if (partnerIds.has(partnerId)) this.#lost.delete(groupId);
  }
}

/** A partner stands for its node. */
function firstOf({ partnerIds }: LostNode): string[] {
  return [...partnerIds].slice(0, 1);
}
