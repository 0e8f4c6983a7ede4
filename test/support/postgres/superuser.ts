import type pg from 'pg';

/** Whoever may do everything in the database, and is stopped by no trigger: on every node, where there are several. */
export async function asSuperuser(pool: pg.Pool, edit: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin; set local citus.propagate_set_commands = 'local'; set local session_replication_role = 'replica'");
    await edit(client);
    await client.query('commit');
  } finally {
    client.release(true);
  }
}
