/** A commit that can be lost is no commit: what the service requires of the server and sets for its sessions. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import {
  checkWritable,
  listDurabilityProblems,
  listMissingTimeouts,
  readServerSettings,
  readWorkerConnectionOptions,
} from '../../src/store/durability.ts';
import { allowLongStatements } from '../../src/store/query.ts';
import { connectToMigrate, inLockedTransaction } from '../../src/store/schema/migrating-session.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { emptyDatabase, testDatabase } from '../support/postgres/database.ts';
import { testService } from '../support/service.ts';

const { pool } = await testDatabase();

test('the settings of the test server are safe', async () => {
  assert.deepEqual(listDurabilityProblems(await readServerSettings(pool)), []);
});

test('synchronous_commit = off, fsync = off, full_page_writes = off and an old server are refused, each with what to do', async () => {
  const safe = await readServerSettings(pool);
  const unsafe = { ...safe, fsync: 'off', fullPageWrites: 'off', synchronousCommit: 'off', version: 14 };
  assert.equal(listDurabilityProblems(unsafe).length, 4);
  assert.match(String(listDurabilityProblems({ ...safe, clientMinMessages: 'error' })), /client_min_messages is error/);
});

test('of a cluster doctor says how to look for the time-out that its role may not see, such as of one without Citus here', async () => {
  const hidden = await readWorkerConnectionOptions({ pool });
  assert.equal(hidden, undefined);
  const [told, ...others] = listMissingTimeouts([], hidden);
  assert.match(told ?? '', /^this role may not see citus\.node_conninfo, .+ As a superuser .+ show citus\.node_conninfo/);
  assert.deepEqual(others, []);
  assert.deepEqual(listMissingTimeouts([], 'sslmode=require tcp_user_timeout=5000'), []);
});

test('no setting of the database and no option of the URL takes the place of what a session needs', async () => {
  const { databaseUrl, name } = await emptyDatabase();
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  for (const setting of [
    'synchronous_commit = off',
    'client_min_messages = error',
    "datestyle = 'German'",
    'array_nulls = off',
    "default_transaction_isolation = 'serializable'",
    'idle_in_transaction_session_timeout = 0',
    "idle_session_timeout = '300ms'",
    'row_security = on',
  ])
    await admin.query(`alter database ${name} set ${setting}`);
  await admin.end();
  const url = new URL(databaseUrl);
  url.searchParams.set('options', '-c search_path=public -c jit=on');
  // The driver's own names. The last one would leave no statement enough time.
  for (const [name, value] of [
    ['statement_timeout', '0'],
    ['lock_timeout', '1'],
    ['idle_in_transaction_session_timeout', '0'],
    ['query_timeout', '1'],
  ] as const)
    url.searchParams.set(name, value);
  const database = openDatabase({ databaseUrl: url.href });
  const { rows } = await database.pool.query(`select name, current_setting(name) as value from unnest(array['synchronous_commit',
      'client_min_messages', 'datestyle', 'array_nulls', 'transaction_isolation', 'idle_in_transaction_session_timeout', 'idle_session_timeout',
      'row_security', 'search_path', 'jit', 'statement_timeout', 'lock_timeout']) name cross join pg_sleep(0.1)`);
  const { synchronousCommit } = await readServerSettings(database.pool);
  await database.close();
  assert.deepEqual(Object.fromEntries(rows.map((row) => [row.name, row.value])), {
    synchronous_commit: 'on',
    client_min_messages: 'notice',
    datestyle: 'ISO, MDY',
    array_nulls: 'on',
    transaction_isolation: 'read committed',
    idle_in_transaction_session_timeout: '3s',
    idle_session_timeout: '0',
    row_security: 'off',
    search_path: 'public',
    jit: 'off',
    statement_timeout: '4500ms',
    lock_timeout: '0',
  });
  assert.equal(synchronousCommit, 'off', 'the start still finds the setting of the database');
});

test('no transaction_timeout of the database ends a long transaction, behind a transaction pooler either', async () => {
  const { databaseUrl, name, pool: admin } = await emptyDatabase();
  const { version } = await readServerSettings(admin);
  if (version >= 17) await admin.query(`alter database ${name} set transaction_timeout = '1min'`);
  const wanted = version >= 17 ? '0' : null;
  const find = async (db: Queryable) =>
    (await (db as pg.Pool).query("select current_setting('transaction_timeout', true) as value")).rows[0]?.value;
  for (const preparesStatements of [true, false]) {
    const database = openDatabase({ databaseUrl, preparesStatements });
    after(() => database.close());
    if (preparesStatements) assert.equal(await find(database.pool), wanted);
    await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await allowLongStatements(db, { timeoutMs: 60_000 });
      assert.equal(await find(db), wanted);
    });
    const isPooled = !preparesStatements;
    const migrating = await connectToMigrate(databaseUrl, { isPooled });
    after(() => migrating.end());
    if (!isPooled) assert.equal(await find(migrating), wanted);
    const found = await inLockedTransaction(migrating, { lock: '1', settings: 'set local lock_timeout = 0', busy: '' }, () =>
      find(migrating),
    );
    assert.equal(found, wanted);
  }
});

test('a connection plans each statement once, and is refused where its settings cannot be made', async () => {
  const { databaseUrl, pool: admin } = await emptyDatabase();
  const role = `without_plans_${process.pid}`;
  await admin.query(`create role ${role} login; revoke select on pg_extension from public`);
  const fit = openDatabase({ databaseUrl });
  const { rows } = await fit.pool.query(
    `select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as scans`,
  );
  await fit.close();
  assert.deepEqual(rows, [{ mode: 'force_generic_plan', scans: 'off' }]);
  const unfit = openDatabase({ databaseUrl: databaseUrl.replace('user=postgres', `user=${role}`) });
  await assert.rejects(unfit.pool.query('select 1'), /permission denied for table pg_extension/);
  await unfit.close();
  await admin.query(`drop role ${role}`);
});

test('a server that can lose commits since the start is not ready', async () => {
  const client = await pool.connect();
  await checkWritable(client);
  await client.query('set synchronous_commit = off');
  await assert.rejects(checkWritable(client), /the database has synchronous_commit=off, which must be on/);
  client.release(true);
});

test('a database that cannot store Arabic stops the start', async () => {
  const { databaseUrl } = await emptyDatabase();
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  const name = `latin_${process.pid}`;
  await admin.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const url = databaseUrl.replace(/\/[^/?]+(?=\?|$)/, `/${name}`);
  await assert.rejects(testService({ env: { DATABASE_URL: url } }), /has the encoding LATIN1, which has no Arabic/);
  await admin.query(`drop database ${name} with (force)`);
  await admin.end();
});

test('a role whose commits are not durable stops the start', async () => {
  const { databaseUrl, name } = await emptyDatabase();
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query(`alter database ${name} set synchronous_commit = off`);
  await admin.end();
  await assert.rejects(testService({ env: { DATABASE_URL: databaseUrl } }), /synchronous_commit is off/);
});
