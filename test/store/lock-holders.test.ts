/** Who holds others up, and whether the server can write a file: what the watch of the database asks when work fails. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/store/database.ts';
import { hasRoom } from '../../src/store/durability.ts';
import { listLockHolders } from '../../src/store/lock-holders.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase } from '../support/postgres/database.ts';

test('a session that waits for another is not named as who holds others up', async () => {
  const { databaseUrl, pool } = await emptyDatabase();
  await pool.query('create table held (id int)');
  const [first, second, third] = await Promise.all([connect(databaseUrl), connect(databaseUrl), connect(databaseUrl)]);
  const { rows } = await first.query('select pg_backend_pid() as pid');
  await first.query('begin; lock table held');
  const waiting = [second, third].map((client) => client.query('begin; lock table held; rollback').catch(() => {}));
  const holders = await waitFor('session that holds a lock', async () => {
    const found = await listLockHolders(pool);
    return found[0]?.waiting === 2 && found;
  });
  assert.deepEqual(
    holders.map(({ pid, tables }) => [pid, tables]),
    [[rows[0].pid, 'held']],
  );
  await first.query('rollback');
  await Promise.all(waiting);
});

test('room on the disk is found by a file that leaves nothing behind, and the connection stays usable', async () => {
  const { databaseUrl, pool } = await emptyDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  const written = async () => {
    await pool.query('select pg_stat_clear_snapshot()');
    const { rows } = await pool.query(
      'select temp_bytes::int4 as bytes from pg_stat_database where datname = current_database()',
    );
    return rows[0].bytes;
  };
  assert.equal(await written(), 0);
  assert.equal(await hasRoom(database.pool), true);
  await database.pool.query('select pg_stat_force_next_flush()').catch(() => {});
  await waitFor('file that was written', async () => (await written()) >= 500_000);
  // A limit of the role's own says nothing of the disk.
  await database.pool.query("set temp_file_limit = '64kB'");
  assert.equal(await hasRoom(database.pool), true);
  assert.deepEqual((await database.pool.query('show work_mem')).rows, [{ work_mem: '4MB' }]);
});
