/** The migrator itself: on databases of earlier releases, several at once, killed, refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import type pg from 'pg';
import { renderSchema } from '../../scripts/render-schema.ts';
import { migrate, readMigrationState } from '../../src/store/schema/migrate.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { databaseProxy } from '../support/postgres/database-proxy.ts';
import { applyOlder } from '../support/postgres/older-database.ts';
import { startMigrating } from '../support/start-migrating.ts';

const SCHEMA = new URL('../../migrations/schema.sql', import.meta.url);
/** What Kysely locks while it migrates. */
const LOCK_OF_KYSELY = '3853314791062309107';

async function listNames(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>('select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

const namesOf = (applied: readonly { readonly name: string }[]) => applied.map(({ name }) => name);

describe('a database of an earlier release', () => {
  test('with the tables of Kysely goes on with the first file that it lacks, and keeps what its list says', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0009');
    await pool.query(
      'create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null)',
    );
    await pool.query("insert into kysely_migration_lock values ('migration_lock', 0)");
    const { rows: before } = await pool.query('select * from kysely_migration order by name');
    const { pending } = await readMigrationState(pool);
    assert.ok(pending[0]?.startsWith('0009'));
    assert.deepEqual(namesOf(await migrate(databaseUrl)), pending);
    const { rows } = await pool.query('select * from kysely_migration order by name');
    assert.deepEqual(rows.slice(0, before.length), before);
    assert.deepEqual(namesOf(rows.slice(before.length)), pending);
    for (const { timestamp } of rows) assert.ok(new Date(timestamp).getTime() > 0, timestamp);
  });

  test('waits while a process of that release migrates', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    const other = await connect(databaseUrl);
    await other.query('select pg_advisory_lock($1)', [LOCK_OF_KYSELY]);
    const migrated = migrate(databaseUrl);
    const tried = "select from pg_stat_activity where datname = current_database() and state = 'idle' and query = 'commit'";
    await waitFor('first try of the migrator', async () => (await pool.query(tried)).rowCount === 1);
    const { rows } = await pool.query("select to_regclass('kysely_migration') as list");
    assert.equal(rows[0]?.list, null);
    await other.query('select pg_advisory_unlock($1)', [LOCK_OF_KYSELY]);
    assert.equal((await migrated).length, (await listNames(pool)).length);
  });

  test('of the first day of 1.0.0, which lacks two files before the last that it has, gets them and ends with the same schema', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0041', ['0037', '0038']);
    const { pending } = await readMigrationState(pool);
    assert.deepEqual(pending.slice(0, 2), ['0037_passkeys', '0038_check_passkeys']);
    assert.deepEqual(namesOf(await migrate(databaseUrl)), pending);
    assert.equal(await renderSchema(pool), await readFile(SCHEMA, 'utf8'));
  });

  test('behind a transaction pooler is migrated without anything that a session would have to keep', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0012');
    const { pending } = await readMigrationState(pool);
    assert.deepEqual(namesOf(await migrate(databaseUrl, { isPooled: true })), pending);
  });
});

describe('refused, with nothing applied', () => {
  test('a downgrade: the database has a migration that this release does not know', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0009');
    await pool.query("insert into kysely_migration values ('9999_later', '2026-01-01T00:00:00.000Z')");
    const before = await listNames(pool);
    await assert.rejects(migrate(databaseUrl), /has the migrations 9999_later of a newer release\. Start that release\.$/);
    assert.deepEqual(await listNames(pool), before);
  });

  test('a file whose number is below one that was applied', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0009');
    const last = (await readMigrationState(pool)).pending.at(-1);
    await pool.query("insert into kysely_migration values ($1, '2026-01-01T00:00:00.000Z')", [last]);
    const before = await listNames(pool);
    await assert.rejects(migrate(databaseUrl), new RegExp(`0009\\w+ comes before ${last}, which the database has`));
    assert.deepEqual(await listNames(pool), before);
  });
});

test('a file that fails leaves nothing, and the next call begins with it', async () => {
  const { databaseUrl, pool } = await emptyDatabase();
  await applyOlder(pool, '0003');
  await pool.query('create table webhook_endpoint (in_the_way int)');
  await assert.rejects(migrate(databaseUrl), /webhook_endpoint.* already exists/);
  const before = await listNames(pool);
  const { rows } = await pool.query("select relname from pg_class where relname in ('event', 'delivery', 'event_counter')");
  assert.deepEqual(rows, []);
  await pool.query('drop table webhook_endpoint');
  const [first] = await migrate(databaseUrl);
  assert.ok(first && !before.includes(first.name));
  assert.deepEqual((await readMigrationState(pool)).pending, []);
});

describe('processes', () => {
  test('two at once: each ends well, and each file is applied once', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    const applied = await Promise.all(
      [startMigrating(databaseUrl), startMigrating(databaseUrl)].map(async (child) => JSON.parse(await text(child.stdout))),
    );
    assert.deepEqual(namesOf(applied.flat()).sort(), await listNames(pool));
  });

  test('killed in the middle of a file: nothing of the file is left, and who waits goes on with it', async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0013');
    const { pending } = await readMigrationState(pool);
    const holder = await connect(databaseUrl);
    await holder.query('begin; lock table adjustment in access share mode');
    const child = startMigrating(databaseUrl);
    await waitFor('file that waits for the table', () => isWaiting(pool));
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.deepEqual((await readMigrationState(pool)).pending, pending);
    const migrated = migrate(databaseUrl);
    await waitFor('next one that waits for the table', () => isWaiting(pool));
    await holder.query('commit');
    assert.deepEqual(namesOf(await migrated), pending);
  });
});

test(
  'a process whose machine is gone in the middle of a file leaves nothing, and keeps nobody from the tables',
  HANG_LIMIT,
  async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, '0043');
    const { pending } = await readMigrationState(pool);
    const proxy = await databaseProxy(databaseUrl);
    proxy.silenceAfter('insert into kysely_migration');
    const lost = assert.rejects(migrate(proxy.databaseUrl), /Connection terminated|terminating connection/);
    const holds = "select from pg_locks where granted and relation = 'contribution'::regclass and mode = 'AccessExclusiveLock'";
    await waitFor('file that holds the table of contributions', async () => (await pool.query(holds)).rowCount === 1);
    const confirming = await connect(databaseUrl);
    await confirming.query('begin; lock table contribution in row exclusive mode; commit');
    assert.deepEqual((await readMigrationState(pool)).pending, pending);
    proxy.cut();
    await lost;
    assert.deepEqual(namesOf(await migrate(databaseUrl)), pending);
  },
);

/** Whether somebody waits for the table that later files change. */
async function isWaiting(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query("select from pg_locks where not granted and relation = 'adjustment'::regclass");
  return rowCount === 1;
}
