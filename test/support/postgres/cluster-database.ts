/** A database of its own on every node of the Citus cluster that the tests run on. */
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../../src/store/database.ts';
import { distributeTables } from '../../../src/store/schema/distribute.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';

export interface ClusterDatabase {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Of the nodes that hold the rows, one each. */
  readonly workers: readonly pg.Pool[];
}

interface Node {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/** Migrated and distributed; gone when the file's tests are over. Its parts keep no connection among each other beyond a transaction. */
export async function clusterDatabase(coordinatorUrl: string): Promise<ClusterDatabase> {
  const name = `test_${process.pid}`;
  const nodes = await withClient(coordinatorUrl, listNodes);
  const urlOf = ({ host, port }: Node, database: string) =>
    Object.assign(new URL(coordinatorUrl), { hostname: host, port: String(port), pathname: `/${database}` }).href;
  for (const node of nodes) {
    await withClient(urlOf(node, 'postgres'), async (client) => {
      await client.query('set citus.enable_create_database_propagation = off');
      await client.query(`create database ${name}`);
      await client.query(`alter database ${name} set citus.max_cached_conns_per_worker = 0`);
    });
    await withClient(urlOf(node, name), (client) => client.query('create extension citus'));
  }
  const coordinator = nodes.find(({ isCoordinator }) => isCoordinator) as Node;
  const workers = nodes.filter((node) => node !== coordinator);
  const databaseUrl = urlOf(coordinator, name);
  await withClient(databaseUrl, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers) await client.query('select citus_add_node($1, $2)', [host, port]);
  });
  await migrate(databaseUrl);
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  await distributeTables(database).finally(() => database.close());
  // A node hides its parts of tables from whoever is no other node.
  const options = '-c citus.override_table_visibility=off';
  const pools = [databaseUrl, ...workers.map((node) => urlOf(node, name))].map(
    (connectionString) => new pg.Pool({ connectionString, max: 1, options }),
  );
  after(async () => {
    for (const pool of pools) await pool.end();
    for (const node of nodes) await withClient(urlOf(node, 'postgres'), (client) => drop(client, name));
  });
  const [pool, ...ofWorkers] = pools as [pg.Pool, ...pg.Pool[]];
  return { databaseUrl, pool, workers: ofWorkers };
}

async function listNodes(client: pg.Client): Promise<Node[]> {
  const { rows } = await client.query<Node>(
    `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node order by groupid`,
  );
  return rows;
}

async function drop(client: pg.Client, name: string): Promise<void> {
  await client.query('set citus.enable_create_database_propagation = off');
  await client.query(`drop database ${name} with (force)`);
}

async function withClient<Result>(connectionString: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const LOOK_EVERY_MS = 5;

/** Resolves when no connection from another node is open, so that all they read is counted. */
export async function untilNodesParted(workers: readonly pg.Pool[]): Promise<void> {
  const text = `select 1 from pg_stat_activity where datname = current_database() and application_name like 'citus_internal%'`;
  for (const worker of workers) {
    while ((await worker.query(text)).rows.length > 0) await sleep(LOOK_EVERY_MS);
  }
}
