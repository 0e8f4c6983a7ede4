import type pg from 'pg';
import type { Database } from './database.ts';
import { run, runAnew, type Statement } from './query.ts';

/** A statement that reads rows of all partners. */
export interface OfAllPartners {
  readonly name: string;
  /** @param ofPartners Writes SQL, a condition on the `partner_id` of each table: Citus asks every node about a table without it. */
  readonly write: (ofPartners: (column: string) => string) => string;
}

/** What distributes the counters distributes every growing table. */
const LIST_PARTNERS_BY_NODE: Statement = {
  name: 'list_partners_by_node',
  text: `select placement.groupid as "groupId", array_agg(p.partner_id) as "partnerIds"
    from partner p
    join pg_dist_placement placement on placement.shardid = get_shard_id_for_distribution_column('event_counter', p.partner_id)
    group by placement.groupid`,
};

interface PartnersOfNode extends pg.QueryResultRow {
  readonly groupId: number;
  readonly partnerIds: readonly string[];
}

/** After a failure each node is asked separately for this time, and one that did not answer is not asked. */
const APART_FOR_MS = 10_000;

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
  /** Until when a node is not asked. */
  readonly #lostUntilMs = new Map<number, number>();

  /** @param onError Called with each failure that does not become one of {@link read}. */
  constructor(database: Pick<Database, 'pool' | 'isDistributed'>, onError: (error: unknown) => void = () => {}) {
    this.#database = database;
    this.#onError = onError;
  }

  /** @throws Error When no node answers. */
  async read<Row extends pg.QueryResultRow>(statement: OfAllPartners, values: readonly unknown[] = []): Promise<Row[]> {
    if (performance.now() >= this.#apartUntilMs) {
      try {
        return await run<Row>(this.#database.pool, { name: statement.name, text: statement.write(() => 'true') }, [...values]);
      } catch (error) {
        if (!this.#database.isDistributed) throw error;
        this.#onError(error);
        this.#apartUntilMs = performance.now() + APART_FOR_MS;
        this.#nodes = undefined;
        this.#lostUntilMs.clear();
      }
    }
    return this.#readApart(statement, values);
  }

  async #readApart<Row extends pg.QueryResultRow>(statement: OfAllPartners, values: readonly unknown[]): Promise<Row[]> {
    const { pool } = this.#database;
    const text = statement.write((column) => `${column} = any ($${values.length + 1}::text[])`);
    this.#nodes ??= await runAnew<PartnersOfNode>(pool, LIST_PARTNERS_BY_NODE, []);
    const asked = this.#nodes.filter(({ groupId }) => performance.now() >= (this.#lostUntilMs.get(groupId) ?? 0));
    const answers = await Promise.allSettled(
      asked.map(({ partnerIds }) => runAnew<Row>(pool, { name: statement.name, text }, [...values, partnerIds])),
    );
    const rows: Row[] = [];
    let failure: PromiseRejectedResult | undefined;
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'fulfilled') {
        rows.push(...answer.value);
        continue;
      }
      failure = answer;
      this.#lostUntilMs.set(asked[index]?.groupId as number, performance.now() + APART_FOR_MS);
    }
    if (failure && answers.every(({ status }) => status === 'rejected')) throw failure.reason;
    return rows;
  }
}
