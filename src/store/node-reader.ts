import type pg from 'pg';
import type { Database, Queryable } from './database.ts';
import { isCanceled, isPoolUsedUp } from './database-errors.ts';
import { isWithoutWorker, lateWorker, problemOf } from './database-problem.ts';
import { durableRead } from './durable-read.ts';
import { allowLongStatements, type LongStatements, run, runAnew, runLong, type Statement } from './query.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from './transaction.ts';

/** A statement that reads rows of all partners. */
export interface OfAllPartners {
  readonly name: string;
  /**
   * @param ofPartners Writes SQL, a condition on the `partner_id` of each table: Citus asks every node about a table without it. Where a table
   *   has another list of partners too (`= any`), Citus asks the nodes of both lists, unless a table with this condition alone is joined by partner.
   */
  readonly write: (ofPartners: (column: string) => string) => string;
  /** Planned each time for what the tables hold then, as by {@link runAnew}. */
  readonly isPlannedAnew?: true;
}

/** Sends a statement, of all nodes or of one. */
export type Ask<Row> = (statement: Statement, values: unknown[]) => Promise<Row[]>;

/** Sends a statement in a transaction of its own, with this time instead of the usual: it reads rows that are not in memory, or many. */
export function askLong<Row extends pg.QueryResultRow>(database: Database, time: LongStatements): Ask<Row> {
  return (statement, values) =>
    inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await allowLongStatements(db, time);
      return runLong<Row>(db, statement, values, time);
    });
}

/** What distributes the counters distributes every growing table. */
const LIST_PARTNERS_BY_NODE: Statement = {
  name: 'list_partners_by_node',
  text: `select placement.groupid as "groupId", min(node.nodename || ':' || node.nodeport) as node, array_agg(p.partner_id) as "partnerIds"
    from partner p
    join pg_dist_placement placement on placement.shardid = get_shard_id_for_distribution_column('event_counter', p.partner_id)
    join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary'
    group by placement.groupid`,
};

export interface PartnersOfNode extends pg.QueryResultRow {
  readonly groupId: number;
  /** Its host and port, as the coordinator names it. */
  readonly node: string;
  readonly partnerIds: readonly string[];
}

async function listPartnersByNode(db: Queryable): Promise<PartnersOfNode[]> {
  return runAnew<PartnersOfNode>(db, LIST_PARTNERS_BY_NODE, []);
}

function nodeOf(nodes: readonly PartnersOfNode[], partnerId: string): PartnersOfNode | undefined {
  return nodes.find(({ partnerIds }) => partnerIds.includes(partnerId));
}

/** @returns The node with the rows of the partner; `undefined` for an unknown partner. */
export async function findNodeOf(db: Queryable, partnerId: string): Promise<PartnersOfNode | undefined> {
  return nodeOf(await listPartnersByNode(db), partnerId);
}

/**
 * Of the partner's node alone. It waits for the synchronous standby of the node, as the commits there do, and unlike these its wait ends with its
 * time limit: on a node that cannot commit each of them would keep a connection.
 */
export const LOOK_AT_NODE: Statement = durableRead({
  name: 'look_at_node_of_partner',
  text: 'select partner_id from event_counter where partner_id = $1',
});

/** After a failure each node is asked separately for this time, and one that did not answer is not asked. */
const APART_FOR_MS = 10_000;

/** A node that did not answer when it was asked last. */
export interface LostNode {
  readonly partnerIds: ReadonlySet<string>;
  readonly failure: unknown;
}

interface KnownLost extends LostNode {
  readonly untilMs: number;
  /** One of its partners, where {@link NodeReader.look} found it lost: it may be read from all the same, and its commits wait. */
  readonly lookedAtPartnerId?: string;
}

/** The partners whose rows are on one of these nodes. */
export function partnersOn(lost: readonly LostNode[]): Set<string> {
  return new Set(lost.flatMap(({ partnerIds }) => [...partnerIds]));
}

/**
 * Reads rows of all partners. On a distributed database that is one statement as long as every node answers; otherwise each node is asked
 * separately, so that the partners of the other nodes have their rows.
 */
export class NodeReader {
  readonly #database: Pick<Database, 'pool' | 'isDistributed'>;
  readonly #onError: (error: unknown) => void;
  #apartUntilMs = Number.NEGATIVE_INFINITY;
  /** As they were when the nodes began to be asked separately. */
  #nodes: readonly PartnersOfNode[] | undefined;
  /** A node is not asked for a time. */
  readonly #lost = new Map<number, KnownLost>();
  /** Nodes that a look found lost and a read found readable, in the order in which they are looked at again. */
  readonly #toLookAt = new Set<number>();
  #isLooking = false;

  /** @param onError Called with each failure that does not become one of {@link read}. */
  constructor(database: Pick<Database, 'pool' | 'isDistributed'>, onError: (error: unknown) => void = () => {}) {
    this.#database = database;
    this.#onError = onError;
  }

  /**
   * @param ask Sends it in another way than with the usual time limit.
   * @throws Error When no node answers.
   */
  async read<Row extends pg.QueryResultRow>(
    statement: OfAllPartners,
    values: readonly unknown[] = [],
    ask?: Ask<Row>,
  ): Promise<Row[]> {
    if (performance.now() >= this.#apartUntilMs) {
      try {
        const askAll = ask ?? this.#askBy<Row>(statement.isPlannedAnew ? runAnew : run);
        const rows = await askAll({ name: statement.name, text: statement.write(() => 'true') }, [...values]);
        for (const groupId of this.#lost.keys()) this.#foundReadable(groupId);
        return rows;
      } catch (error) {
        if (!this.#database.isDistributed) throw error;
        this.#onError(error);
        this.#apartUntilMs = performance.now() + APART_FOR_MS;
        this.#nodes = undefined;
        this.#forgetWhatReadsFound();
      }
    }
    return this.#readApart(statement, values, ask ?? this.#askBy<Row>(runAnew));
  }

  /** Each of these is read anew. One that a look found lost may answer reads all the same, and stays until a look is answered. */
  #forgetWhatReadsFound(): void {
    for (const [groupId, { lookedAtPartnerId }] of this.#lost) if (lookedAtPartnerId === undefined) this.#lost.delete(groupId);
  }

  #askBy<Row extends pg.QueryResultRow>(send: typeof run): Ask<Row> {
    return (statement, values) => send<Row>(this.#database.pool, statement, values);
  }

  /** The nodes whose rows the last {@link read} lacks, and those found by {@link look}, until they answer a further look. */
  get lost(): readonly LostNode[] {
    return [...this.#lost.values()];
  }

  isLost(partnerId: string): boolean {
    return this.#lost.values().some(({ partnerIds }) => partnerIds.has(partnerId));
  }

  /**
   * After work for a partner failed: asks the partner's node, and remembers it as lost when it does not answer.
   *
   * @throws Error When the pool has no free connection, so that the node was not asked.
   */
  async look(partnerId: string): Promise<void> {
    if (!this.#database.isDistributed || this.isLost(partnerId)) return;
    await this.#lookAt(partnerId);
  }

  /** @returns Whether the node answers. */
  async #lookAt(partnerId: string): Promise<boolean> {
    const { pool } = this.#database;
    try {
      await run(pool, LOOK_AT_NODE, [partnerId]);
      return true;
    } catch (error) {
      if (isPoolUsedUp(error)) throw error;
      this.#nodes = await listPartnersByNode(pool);
      const node = nodeOf(this.#nodes, partnerId);
      if (node) this.#noteFailedLook(node, partnerId, error);
      return false;
    }
  }

  #noteFailedLook(node: PartnersOfNode, partnerId: string, error: unknown): void {
    if (isCanceled(error)) this.#setLost(node, lateWorker(node.node, error as Error), partnerId);
    else if (isWithoutWorker(problemOf(error))) this.#setLost(node, error, partnerId);
    // What says nothing of the node itself is forgotten with the next answer.
    else this.#setLost(node, error, this.#lookedAtPartnerOf(node));
  }

  #lookedAtPartnerOf({ groupId }: PartnersOfNode): string | undefined {
    return this.#lost.get(groupId)?.lookedAtPartnerId;
  }

  #setLost({ groupId, partnerIds }: PartnersOfNode, failure: unknown, lookedAtPartnerId: string | undefined): void {
    // One that was not asked, for want of a connection, is asked by the next read.
    const untilMs = performance.now() + (isPoolUsedUp(failure) ? 0 : APART_FOR_MS);
    const lost = { partnerIds: new Set(partnerIds), failure, untilMs };
    this.#lost.set(groupId, { ...lost, ...(lookedAtPartnerId !== undefined && { lookedAtPartnerId }) });
  }

  /** A read of a node proves nothing of its commits: one that a look found lost is looked at again, beside other work. */
  #foundReadable(groupId: number): void {
    const lost = this.#lost.get(groupId);
    if (lost?.lookedAtPartnerId === undefined) this.#lost.delete(groupId);
    else if (performance.now() >= lost.untilMs) {
      this.#lost.set(groupId, { ...lost, untilMs: performance.now() + APART_FOR_MS });
      this.#toLookAt.add(groupId);
      if (!this.#isLooking) void this.#lookAgain();
    }
  }

  /** One look at a time: each keeps a connection until it is answered, and the partners of the other nodes need the rest. */
  async #lookAgain(): Promise<void> {
    this.#isLooking = true;
    for (const groupId of this.#toLookAt) {
      this.#toLookAt.delete(groupId);
      const partnerId = this.#lost.get(groupId)?.lookedAtPartnerId;
      if (partnerId !== undefined && (await this.#lookAt(partnerId).catch(() => false))) this.#lost.delete(groupId);
    }
    this.#isLooking = false;
  }

  async #readApart<Row extends pg.QueryResultRow>(
    statement: OfAllPartners,
    values: readonly unknown[],
    ask: Ask<Row>,
  ): Promise<Row[]> {
    const text = statement.write((column) => `${column} = any ($${values.length + 1}::text[])`);
    this.#nodes ??= await listPartnersByNode(this.#database.pool);
    const asked = this.#nodes.filter(({ groupId }) => performance.now() >= (this.#lost.get(groupId)?.untilMs ?? 0));
    const answers = await Promise.allSettled(
      asked.map(({ partnerIds }) => ask({ name: statement.name, text }, [...values, partnerIds])),
    );
    const rows: Row[] = [];
    let failure: PromiseRejectedResult | undefined;
    for (const [index, answer] of answers.entries()) {
      const node = asked[index] as PartnersOfNode;
      if (answer.status === 'fulfilled') {
        rows.push(...answer.value);
        this.#foundReadable(node.groupId);
        continue;
      }
      failure = answer;
      this.#setLost(node, answer.reason, this.#lookedAtPartnerOf(node));
    }
    if (failure && answers.every(({ status }) => status === 'rejected')) throw failure.reason;
    return rows;
  }
}
