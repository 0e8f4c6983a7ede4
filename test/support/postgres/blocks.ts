import type pg from 'pg';

const FETCHED = `select sum(pg_stat_get_xact_blocks_fetched(oid))::int4 as blocks from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`;

/** How many blocks of tables and indexes the work reads, all of it on one connection of the pool. It changes nothing. */
export async function blocksOf(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<unknown>): Promise<number> {
  const client = await pool.connect();
  const fetched = async () => (await client.query<{ blocks: number }>(FETCHED)).rows[0]?.blocks ?? 0;
  await client.query('begin');
  try {
    const since = await fetched();
    await work(client);
    return (await fetched()) - since;
  } finally {
    await client.query('rollback');
    client.release();
  }
}
