import { unavailable } from '../domain/service-error.ts';
import type { Database } from './database.ts';
import { problemOf } from './database-problem.ts';
import { LIST_PARTNERS_BY_NODE, LOOK_AT_NODE, type PartnersOfNode } from './node-reader.ts';
import { run, runAnew } from './query.ts';

/** So that each look connects to the node: an earlier connection of the coordinator would wait for a node that went without a word. */
export const LOOK_SETTINGS = ['citus.max_cached_conns_per_worker=0'];
export const LOOK_POOL_SIZE = 1;

const LOOK_AGAIN_MS = 1_000;

/** Knows the nodes of a distributed database that do not answer, so that requests of their partners do not wait for them. */
export interface NodeWatch {
  /** Work for the partner takes long: its node is looked at. */
  suspect(partnerId: string): void;
  /** What work for the partner is refused with; `undefined` unless its node was found lost and does not answer since then. */
  refusalOf(partnerId: string): Error | undefined;
  close(): void;
}

interface Lost {
  readonly partnerIds: ReadonlySet<string>;
  readonly failure: unknown;
}

/** @param pool With {@link LOOK_POOL_SIZE} connections that no work takes, and {@link LOOK_SETTINGS}. */
export function openNodeWatch({ pool }: Pick<Database, 'pool'>): NodeWatch {
  const lost = new Map<number, Lost>();
  let isLooking = false;

  /** Only the words of the coordinator about the node tell that it is lost, and only an answer that it is back. */
  const lookAt = async (partnerId: string): Promise<void> => {
    const failure = await run(pool, LOOK_AT_NODE, [partnerId]).catch((error: unknown) => error as Error);
    if (Array.isArray(failure)) {
      for (const [groupId, { partnerIds }] of lost) if (partnerIds.has(partnerId)) lost.delete(groupId);
      return;
    }
    if (problemOf(failure)?.reason !== 'worker_lost') return;
    const nodes = await runAnew<PartnersOfNode>(pool, LIST_PARTNERS_BY_NODE, []);
    const node = nodes.find(({ partnerIds }) => partnerIds.includes(partnerId));
    if (node) lost.set(node.groupId, { partnerIds: new Set(node.partnerIds), failure });
  };
  const look = async (partnerIds: readonly string[]): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    for (const partnerId of partnerIds) await lookAt(partnerId).catch(() => {});
    isLooking = false;
  };
  const timer = setInterval(() => {
    if (lost.size > 0) void look([...lost.values()].flatMap(({ partnerIds }) => [...partnerIds].slice(0, 1)));
  }, LOOK_AGAIN_MS);
  timer.unref();

  const lostOf = (partnerId: string) => lost.values().find(({ partnerIds }) => partnerIds.has(partnerId));
  return {
    suspect(partnerId) {
      if (!lostOf(partnerId)) void look([partnerId]);
    },
    refusalOf(partnerId) {
      const found = lostOf(partnerId);
      return found && unavailable(REFUSAL, { cause: found.failure });
    },
    close: () => clearInterval(timer),
  };
}

const REFUSAL = 'The part of the database with your records does not answer. Look up or retry after the time in Retry-After.';
