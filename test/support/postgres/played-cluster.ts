import { after } from 'node:test';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { emptyDatabase } from './database.ts';

export interface PlayedCluster {
  readonly databaseUrl: string;
  readonly database: Database;
}

/**
 * One PostgreSQL that is taken for a cluster: the tables of Citus say that each of these partners has a node of its own. Nothing is
 * distributed.
 */
export async function playedCluster(partnerIds: readonly string[], poolSize: number): Promise<PlayedCluster> {
  const { databaseUrl, pool } = await emptyDatabase();
  await pool.query(`
    create table partner (partner_id text primary key, number int generated always as identity);
    create table event_counter (partner_id text primary key);
    create view pg_dist_placement as select number as groupid, number as shardid from partner;
    create view pg_dist_node as
      select number as groupid, 'worker-' || number as nodename, 5432 as nodeport, 'primary' as noderole from partner;
    create function get_shard_id_for_distribution_column(name text, id text) returns int
      language sql as 'select number from partner where partner_id = id'`);
  await pool.query('insert into partner (partner_id) select unnest($1::text[])', [partnerIds]);
  const database = openDatabase({ databaseUrl, poolSize });
  after(() => database.close());
  return { databaseUrl, database: { ...database, isDistributed: true } };
}
