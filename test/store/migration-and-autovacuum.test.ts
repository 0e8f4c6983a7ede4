/** A migration that meets an autovacuum: PostgreSQL ends one only for whoever waits for its table longer than a second. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { migrate, readMigrationState } from '../../src/store/schema/migrate.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { clearAway, hold, makeDataDirectory } from '../support/postgres/embedded.ts';
import { applyOlder } from '../support/postgres/older-database.ts';

after(clearAway);

/** It changes a large table, and builds no index first. */
const FILE = '0048_body_values';

const ROWS = `insert into event (partner_id, sequence, event_id, event_type, subject_id, occurred_at)
  select 'ptn_1', n, 'evt_' || n, 'impact.transaction.confirmed', 'txn_' || n, now() from generate_series(1, 40000) n`;
/** A page or two a second, so that the vacuum of these rows takes minutes, as that of a large table does. */
const SLOWLY = `autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_cost_delay = 100`;

const HOLDS = `select 1 from pg_stat_activity a join pg_locks l using (pid)
  where a.backend_type = 'autovacuum worker' and l.relation = 'event'::regclass and l.granted`;

test('an autovacuum that would take minutes gives its table to a migration', HANG_LIMIT, async (t) => {
  const { socketDirectory } = await hold(await makeDataDirectory());
  const databaseUrl = `postgresql:///postgres?host=${encodeURIComponent(socketDirectory as string)}&user=postgres`;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  // It ends before its connection does, which the end of the server may meet.
  pool.on('error', () => {});
  t.after(() => pool.end());
  await pool.query("alter system set autovacuum_naptime = '1s'");
  await pool.query('select pg_reload_conf()');
  await applyOlder(pool, FILE);
  await pool.query(`alter table event set (${SLOWLY})`);
  await pool.query(ROWS);
  await waitFor('autovacuum that holds the table', async () => (await pool.query(HOLDS)).rows.length > 0);
  const told: string[] = [];
  await migrate(databaseUrl, { onWait: (sentence) => told.push(sentence) });
  assert.match(
    told.join('\n'),
    /^The migration 0048_body_values waits for a table that another session locks \(it may be process \d+/,
  );
  assert.deepEqual((await readMigrationState(pool)).pending, []);
});
