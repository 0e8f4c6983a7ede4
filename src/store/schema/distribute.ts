import type pg from 'pg';
import type { Database, Queryable } from '../database.ts';
import { isDeadlock, isLockTimeout } from '../database-errors.ts';
import { runAnew } from '../query.ts';
import { attemptWhileLocked, connectToMigrate, inLockedTransaction, type SessionOptions } from './migrating-session.ts';

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
  return (await runAnew(db, { name: 'find_citus', text }, [])).length > 0;
}

async function listDistributed(db: Queryable): Promise<string[]> {
  const text = "select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'";
  const tables = await runAnew<{ name: string }>(db, { name: 'list_distributed_tables', text }, []);
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
 * @throws Error When other sessions hold the tables all the time; nothing is changed then.
 */
export async function distributeTables(databaseUrl: string, options: SessionOptions = {}): Promise<string[]> {
  const client = await connectToMigrate(databaseUrl, options);
  try {
    if (!(await isCoordinator(client)))
      throw new NotDistributableError(
        'The extension Citus is missing in this database, so its tables cannot be distributed. Install it on the coordinator and the workers, run `create extension citus`, add the workers, then repeat; or do not distribute.',
      );
    return (await listMissing(client)).length === 0 ? [] : await distribute(client);
  } finally {
    await client.end();
  }
}

/** Any number that no other lock uses. */
const DISTRIBUTION_LOCK = '4117301';
const BUSY = 'Another process has been distributing this database for an hour. pg_stat_activity shows what it does.';

const LOCKED =
  'The tables got no lock, and nothing was distributed: other sessions lock them. pg_stat_activity shows long transactions; end them, or wait for them, and repeat.';

/** Our triggers read only their own row, so they are safe on a shard. */
const SETTINGS = 'set local citus.enable_unsafe_triggers = on';

/** For what other sessions hold on the workers, once the tables are locked. */
const LATER_LOCKS = "set local lock_timeout = '30s'";

/**
 * Waits for those who hold a table as a migration does. Processes that start at once do this one after another.
 *
 * @returns The tables that this call distributed.
 */
function distribute(client: pg.Client): Promise<string[]> {
  return attemptWhileLocked(
    client,
    (lockTimeoutMs) => {
      const settings = `${SETTINGS}; set local lock_timeout = ${lockTimeoutMs}`;
      return inLockedTransaction(client, { lock: DISTRIBUTION_LOCK, settings, busy: BUSY }, () => distributeMissing(client));
    },
    (error) => {
      if (!(error instanceof TablesLockedError)) throw error;
    },
  );
}

/** Nothing was distributed. */
class TablesLockedError extends Error {
  override readonly name = 'TablesLockedError';
}

async function distributeMissing(client: pg.Client): Promise<string[]> {
  const tables = await listMissing(client);
  if (tables.length > 0) await lockTables(client, tables);
  await client.query(LATER_LOCKS);
  for (const table of tables) await distributeTable(client, table);
  return tables;
}

/** All before any is moved: those who write take them in another order. */
async function lockTables(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query(`lock table ${tables.join(', ')} in exclusive mode`).catch((error: unknown) => {
    throw isLockTimeout(error) || isDeadlock(error) ? new TablesLockedError(LOCKED, { cause: error }) : error;
  });
}

async function distributeTable(client: pg.Client, table: string): Promise<void> {
  const colocation = table === GROWING_TABLES[0] ? 'none' : GROWING_TABLES[0];
  const text = 'select create_distributed_table($1, $2, colocate_with => $3)';
  await client.query(text, [table, 'partner_id', colocation]);
}
