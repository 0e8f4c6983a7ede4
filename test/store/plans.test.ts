/**
 * A session plans a statement once, and may do so while its tables are empty: what it reads later must not depend on it. On a cluster the
 * nodes plan each statement for itself, and may know nothing of their rows yet. A new statement that is sent over and over goes into
 * `support/postgres/hot-calls.ts`, one of a verification into `verify-calls.ts` there.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type ClusterDatabase, clusterDatabase, untilNodesParted } from '../support/postgres/cluster-database.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { fillTables, GROWN, prepareParties } from '../support/postgres/grown-tables.ts';
import { type HotCall, hotCalls } from '../support/postgres/hot-calls.ts';
import { verifyCalls } from '../support/postgres/verify-calls.ts';

const clusterUrl = process.env['TEST_ENGINE'] === 'citus' ? process.env['TEST_DATABASE_URL'] : undefined;
const isDistributed = clusterUrl !== undefined;

const ROWS = 200_000;
const FEWER = 40_000;
/** Of each statement: a page of each of the indexes that a batch writes, and of those that it reads, may be another one after a vacuum. */
const SPARE_BLOCKS = 10;
const QUERY_CANCELED = '57014';

const readsAsLittle = 'reads as little of 200,000 rows of one partner as one planned by their statistics';

test(`a statement planned on new tables ${readsAsLittle}`, async () => {
  const made =
    clusterUrl === undefined
      ? { ...(await testDatabase()), workers: [] }
      : await clusterDatabase(clusterUrl, { cachedConnections: 0 });
  assert.deepEqual(await listMisled(made, async () => {}), []);
});

/** As `vacuumdb --analyze` does after a restore, or a maintenance that came early: then an empty table counts as one without any row. */
const ANALYZED = 'vacuum (analyze)';

// Nothing keeps a plan on a cluster.
if (!isDistributed)
  test(`a statement planned on tables that were analysed while they were empty ${readsAsLittle}`, async () => {
    const made = { ...(await testDatabase()), workers: [] };
    assert.deepEqual(await listMisled(made, () => made.pool.query(ANALYZED)), []);
  });

type Workers = ClusterDatabase['workers'];

/**
 * The calls that read more with their first plans than with those by the statistics.
 *
 * @param prepare Done with the empty tables, before the first plans.
 */
async function listMisled({ databaseUrl, pool, workers }: ClusterDatabase, prepare: () => Promise<unknown>) {
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  for (const table of GROWN) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const terms = { ...(await prepareParties(pool)), token: newToken(), rows: ROWS, fewer: FEWER, isDistributed };
  const calls = [...hotCalls(terms), ...verifyCalls(terms)].filter(({ isOfAll = false }) => !isOfAll);
  await prepare();
  const client = await database.pool.connect();
  const blocksOf = () => readEach(client, workers, calls);
  await blocksOf();
  await fillTables(pool, terms);
  const young = await blocksOf();
  await pool.query(ANALYZED);
  await client.query('discard plans');
  const old = await blocksOf();
  client.release();
  const compared = calls.map(({ title }) => ({ title, young: young.get(title) ?? 0, old: old.get(title) ?? 0 }));
  const statementsOf = new Map(calls.map(({ title, statements = 1 }) => [title, statements]));
  return compared.filter(({ title, young, old }) => young > old * 1.5 + SPARE_BLOCKS * (statementsOf.get(title) ?? 1));
}

/** By title. */
async function readEach(client: pg.PoolClient, workers: Workers, calls: readonly HotCall[]): Promise<Map<string, number>> {
  const blocks = new Map<string, number>();
  for (const call of calls) blocks.set(call.title, await read(client, workers, call));
  return blocks;
}

const FETCHED = `select sum(pg_stat_get_xact_blocks_fetched(oid))::int4 as blocks from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;
const FETCHED_EVER = FETCHED.replace('_xact', '');

/** How many blocks it reads, those of its triggers and foreign keys included; without end where it takes too long. Nothing of it stays. */
async function read(client: pg.PoolClient, workers: Workers, { title, prepare, send }: HotCall): Promise<number> {
  const fetched = async () => (await client.query<{ blocks: number }>(FETCHED)).rows[0]?.blocks ?? 0;
  const fetchedByWorkers = await countByWorkers(workers);
  await client.query('begin');
  try {
    await prepare?.(client);
    const blocks = await fetched();
    await send(client);
    const ofCoordinator = (await fetched()) - blocks;
    await client.query('rollback');
    return ofCoordinator + (await countByWorkers(workers)) - fetchedByWorkers;
  } catch (cause) {
    await client.query('rollback');
    if ((cause as pg.DatabaseError).code === QUERY_CANCELED) return Number.POSITIVE_INFINITY;
    throw new Error(`The call failed: ${title}`, { cause });
  }
}

/** What the nodes of a cluster ever read; each counts what a connection read when the connection ends. */
async function countByWorkers(workers: Workers): Promise<number> {
  await untilNodesParted(workers);
  let blocks = 0;
  for (const worker of workers) {
    await worker.query('select pg_stat_clear_snapshot()');
    blocks += (await worker.query<{ blocks: number }>(FETCHED_EVER)).rows[0]?.blocks ?? 0;
  }
  return blocks;
}
