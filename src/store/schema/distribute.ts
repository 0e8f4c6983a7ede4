import type { Database, Queryable } from '../database.ts';
import { run } from '../query.ts';

/** Tables that grow with the partners' traffic, distributed together by `partner_id`; referenced tables come first. */
export const GROWING_TABLES = [
  'contribution',
  'estimate',
  'emissions_link',
  'event_outbox',
  'event_counter',
  'event',
  'webhook_endpoint',
  'endpoint_health',
  'endpoint_watch',
  'delivery',
  'delivery_attempt',
  'daily_count',
  'daily_usage',
  'contribution_review',
  'failure_draft',
  'settlement',
  'settlement_line',
  'settlement_line_proof',
  'settlement_candidate',
  'settlement_acknowledgement',
  'reconciliation',
  'reconciliation_line',
  'impact_batch_settlement',
  'adjustment',
  'sandbox_rehearsal',
  'sandbox_evidence',
  'sandbox_due',
  'sandbox_clock',
  'keyed_answer',
  'day_total',
  'day_total_place',
] as const;

/** What an operator must do to get a distributed database without the extension. */
export class NotDistributableError extends Error {
  override readonly name = 'NotDistributableError';
}

/** The growing tables that are distributed already; none on a server without Citus. */
export async function listDistributedTables({ pool }: Pick<Database, 'pool'>): Promise<string[]> {
  return (await isCoordinator(pool)) ? listDistributed(pool) : [];
}

async function isCoordinator(db: Queryable): Promise<boolean> {
  const text = "select 1 from pg_extension where extname = 'citus'";
  return (await run(db, { name: 'find_citus', text }, [])).length > 0;
}

async function listDistributed(db: Queryable): Promise<string[]> {
  const text = "select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'";
  const tables = await run<{ name: string }>(db, { name: 'list_distributed_tables', text }, []);
  return tables.map(({ name }) => name).filter((name) => (GROWING_TABLES as readonly string[]).includes(name));
}

async function listMissing(db: Queryable): Promise<string[]> {
  const distributed = await listDistributed(db);
  return GROWING_TABLES.filter((table) => !distributed.includes(table));
}

/**
 * Distributes every growing table over the nodes of a Citus cluster. Repeatable: a distributed table is not changed. Existing rows are
 * moved.
 *
 * @returns The tables that this call distributed.
 * @throws NotDistributableError When the database is no Citus coordinator.
 */
export async function distributeTables(database: Pick<Database, 'pool'>): Promise<string[]> {
  if (!(await isCoordinator(database.pool))) {
    throw new NotDistributableError(
      'The extension Citus is missing in this database, so its tables cannot be distributed. Install it on the coordinator and the workers, run `create extension citus`, add the workers, then repeat; or do not distribute.',
    );
  }
  return (await listMissing(database.pool)).length === 0 ? [] : distribute(database);
}

/** Any number that no other lock uses. */
const DISTRIBUTION_LOCK = 4_117_301;

/**
 * Processes that start at once do this one after another.
 *
 * @returns The tables that this call distributed.
 */
async function distribute({ pool }: Pick<Database, 'pool'>): Promise<string[]> {
  const client = await pool.connect();
  try {
    // Our triggers read only their own row, so they are safe on a shard. Moving rows has no time limit.
    await client.query(
      "begin; set local citus.enable_unsafe_triggers = on; set local statement_timeout = 0; set local lock_timeout = '30s'",
    );
    await client.query('select pg_advisory_xact_lock($1)', [DISTRIBUTION_LOCK]);
    const tables = await listMissing(client);
    for (const table of tables) {
      const colocation = table === GROWING_TABLES[0] ? 'none' : GROWING_TABLES[0];
      await client.query({
        text: 'select create_distributed_table($1, $2, colocate_with => $3)',
        values: [table, 'partner_id', colocation],
      });
    }
    await client.query('commit');
    return tables;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
