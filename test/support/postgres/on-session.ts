import type pg from 'pg';
import type { Database } from '../../../src/store/database.ts';

/** The database by a single session, which stays with whoever has it. */
export function onSession(database: Database, session: pg.PoolClient): Database {
  const query = session.query.bind(session);
  const kept = { query, release: () => {} };
  return { ...database, pool: { query, connect: async () => kept } as unknown as pg.Pool };
}
