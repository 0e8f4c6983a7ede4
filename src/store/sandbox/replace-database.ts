import pg from 'pg';
import type { Queryable } from '../database.ts';
import { run, type Statement } from '../query.ts';

const [CURRENT, NEXT, REPLACED] = ['postgres', 'partner_impact_next', 'partner_impact_replaced'];

const COUNT_SESSIONS: Statement = {
  name: 'count_other_sessions',
  text: `select count(*)::int4 as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
};

/** Other connections to this database: a service that runs, or a command. */
export async function countOtherSessions(db: Queryable): Promise<number> {
  const [row] = await run<{ count: number }>(db, COUNT_SESSIONS, []);
  return row?.count ?? 0;
}

/**
 * Replaces the database of the embedded server by a new one. The two change their names in one transaction: an interruption leaves the one
 * or the other. Records are never deleted one by one.
 *
 * @param urlOf The address of a database of the server, by its name.
 * @param fill Fills the new database, given its address, and leaves no connection to it.
 * @throws Error While anybody is connected to the database, which is then as it was; the next call removes what this one left.
 */
export async function replaceDatabase(
  urlOf: (name: string) => string,
  fill: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  const server = new pg.Client({ connectionString: urlOf('template1') });
  server.on('error', () => {});
  await server.connect();
  try {
    for (const name of [NEXT, REPLACED]) await server.query(`drop database if exists ${name}`);
    await server.query(`create database ${NEXT} template template0`);
    await fill(urlOf(NEXT));
    await server.query(
      `begin; alter database ${CURRENT} rename to ${REPLACED}; alter database ${NEXT} rename to ${CURRENT}; commit`,
    );
    await server.query(`drop database ${REPLACED}`);
  } finally {
    await server.end();
  }
}
