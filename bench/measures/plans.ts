import type pg from 'pg';
import { prepareEstimates } from '../rows/fill.ts';
import { catchHotStatements, type SentStatement } from '../rows/hot-statements.ts';
import { newToken } from '../rows/identifiers.ts';
import { listGrowingTables, settle } from '../subject/database.ts';
import type { Installation } from '../subject/installation.ts';

/** How PostgreSQL executes one hot statement. */
export interface Plan {
  readonly statement: string;
  readonly lines: readonly string[];
  /** The large tables that are read from end to end: none, or the statement becomes slower with every contribution. */
  readonly scannedTables: readonly string[];
}

const GENERIC_PLANS_SINCE = 16;
/** Below this a scan may be the cheapest way for a batch, and becomes another plan when the table has grown. */
const LARGE_ROWS = 50_000;

/**
 * Explains every statement of the hot path on the database as it is now, executed with real values and rolled back. A
 * prepared statement may use a plan made without knowing the values; that one is judged too where the server shows it.
 */
export async function explainHotStatements({ pool, server, partner, known }: Installation): Promise<Plan[]> {
  const unlinked = { token: newToken(), count: 2 };
  await prepareEstimates(pool, partner.partnerId, unlinked);
  await settle(pool);
  const growing = await listGrowingTables(pool, LARGE_ROWS);
  const showsGeneric = Number.parseInt(server.version, 10) >= GENERIC_PLANS_SINCE && !server.isDistributed;
  const plans: Plan[] = [];
  for (const statement of await catchHotStatements(partner.partnerId, { known, unlinked })) {
    const lines = await explainInTransaction(pool, statement, server.isDistributed);
    const generic = showsGeneric ? await explain(pool, { text: `explain (generic_plan) ${statement.text}` }) : [];
    plans.push({ statement: statement.name, lines, scannedTables: listScanned([...lines, ...generic], growing) });
  }
  return plans;
}

async function explainInTransaction(pool: pg.Pool, { text, values }: SentStatement, isDistributed: boolean): Promise<string[]> {
  // Citus refuses to execute an insert for this.
  const explained = isDistributed ? 'explain' : 'explain (analyze, buffers off)';
  const client = await pool.connect();
  try {
    await client.query('begin');
    const lines = await explain(client, { text: `${explained} ${text}`, values });
    await client.query('rollback');
    client.release();
    return lines;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function explain(db: Pick<pg.ClientBase, 'query'>, query: pg.QueryConfig): Promise<string[]> {
  const { rows } = await db.query<{ 'QUERY PLAN': string }>(query);
  return rows.map((row) => row['QUERY PLAN']);
}

/** A shard of a distributed table has its number after the name. */
function listScanned(lines: readonly string[], growing: readonly string[]): string[] {
  const scanned = lines.flatMap((line) => /Seq Scan on (?:\w+\.)?(\w+)/.exec(line)?.[1]?.replace(/_\d{6,}$/, '') ?? []);
  return [...new Set(scanned)].filter((table) => growing.includes(table));
}
