/** A database of its own on every node of the Citus cluster that the tests run on. */
import { after } from 'node:test';
import pg from 'pg';
import { waitFor } from '../assertions/wait-for.ts';
import { type CreatedDatabaseOptions, createClusterDatabase } from './create-cluster-database.ts';

export interface ClusterDatabase {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Of the nodes that hold the rows, one each. */
  readonly workers: readonly pg.Pool[];
}

/** Migrated and, unless told otherwise, distributed; gone when the file's tests are over. */
export async function clusterDatabase(
  coordinatorUrl: string,
  options: Omit<CreatedDatabaseOptions, 'name'> = {},
): Promise<ClusterDatabase> {
  const created = await createClusterDatabase(coordinatorUrl, { name: `test_${process.pid}`, ...options });
  const { databaseUrl, workerUrls } = created;
  // A node hides its parts of tables from whoever is no other node.
  const everyTable = '-c citus.override_table_visibility=off';
  const pools = [databaseUrl, ...workerUrls].map(
    (connectionString) => new pg.Pool({ connectionString, max: 1, options: everyTable }),
  );
  after(async () => {
    for (const pool of pools) await pool.end();
    await created.drop();
  });
  const [pool, ...workers] = pools as [pg.Pool, ...pg.Pool[]];
  return { databaseUrl, pool, workers };
}

/** Resolves when no connection from another node is open, so that all they read is counted: `cachedConnections` is 0. */
export async function untilNodesParted(workers: readonly pg.Pool[]): Promise<void> {
  const text = `select 1 from pg_stat_activity where datname = current_database() and application_name like 'citus_internal%'`;
  for (const worker of workers)
    await waitFor('worker without connections of other nodes', async () => (await worker.query(text)).rows.length === 0);
}
