import type pg from 'pg';

/** Takes all connections of a pool until the work is done, so that whatever needs one waits in the service meanwhile. */
export async function whileConnectionsAreHeld(pool: pg.Pool, work: () => Promise<unknown>): Promise<void> {
  const connections = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  try {
    await work();
  } finally {
    for (const connection of connections) connection.release();
  }
}
