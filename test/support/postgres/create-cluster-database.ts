/** A further database on every node of a Citus cluster. */
import pg from 'pg';
import { distributeTables } from '../../../src/store/schema/distribute.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';

export interface CreatedDatabase {
  readonly databaseUrl: string;
  /** Of the nodes that hold the rows. */
  readonly workerUrls: readonly string[];
  drop(): Promise<void>;
}

export interface CreatedDatabaseOptions {
  readonly name: string;
  /** Connections among the nodes that a session keeps beyond a transaction; without it as many as Citus has it. */
  readonly cachedConnections?: number;
  /** Left to the test when it is false. */
  readonly isDistributed?: boolean;
}

/**
 * Parts of each table: several on each node, as with the 32 that are usual, and less for each connection to learn. To be set before the
 * tables are distributed.
 */
const SHARDS = 8;

/** In every session from now on. */
export async function setShards(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await withClient(databaseUrl, (client) => client.query(`alter database ${name} set citus.shard_count = ${SHARDS}`));
}

interface Node {
  readonly host: string;
  readonly port: number;
  readonly isCoordinator: boolean;
}

/** Migrated and, unless told otherwise, distributed. */
export async function createClusterDatabase(
  coordinatorUrl: string,
  { name, cachedConnections, isDistributed = true }: CreatedDatabaseOptions,
): Promise<CreatedDatabase> {
  const nodes = await withClient(coordinatorUrl, listNodes);
  const urlOf = ({ host, port }: Node, database: string) =>
    Object.assign(new URL(coordinatorUrl), { hostname: host, port: String(port), pathname: `/${database}` }).href;
  for (const node of nodes) {
    await withClient(urlOf(node, 'postgres'), async (client) => {
      await client.query('set citus.enable_create_database_propagation = off');
      await client.query(`create database ${name}`);
      if (cachedConnections !== undefined)
        await client.query(`alter database ${name} set citus.max_cached_conns_per_worker = ${cachedConnections}`);
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
  await setShards(databaseUrl);
  await migrate(databaseUrl);
  if (isDistributed) await distributeTables(databaseUrl);
  return {
    databaseUrl,
    workerUrls: workers.map((node) => urlOf(node, name)),
    async drop() {
      for (const node of nodes) await withClient(urlOf(node, 'postgres'), (client) => drop(client, name));
    },
  };
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
