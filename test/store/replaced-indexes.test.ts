/** A migration that puts unique indexes in the place of others on a table with rows. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { contributionColumns, fitToTable, insertSelect } from '../../bench/rows/rows.ts';
import { listNextIndexes, withNextIndexes } from '../../src/store/schema/build-indexes.ts';
import { migrate, readMigrationState } from '../../src/store/schema/migrate.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase, type TestDatabase } from '../support/postgres/database.ts';
import { applyOlder, insertOldRows } from '../support/postgres/older-database.ts';
import { startMigrating } from '../support/start-migrating.ts';

const MIGRATION = '0012_keys_for_who_names_them';
const NAMES_FIRST = '0043_names_before_partners';
const NEXT = {
  name: 'planted_next',
  table: 'contribution',
  text: 'create index concurrently planted_next on contribution (points)',
};
const ROWS = 2_000;

/** Confirmations of one event, each under its own key, order and id. */
async function confirmAgain(pool: pg.Pool, token: string, number: number): Promise<string | undefined> {
  const columns = contributionColumns({ partner: `'ptn_1'`, token: newToken(), number: `${number}::bigint` });
  const again = {
    ...columns,
    partner_event_id: contributionColumns({ partner: `''`, token, number: '1::bigint' })['partner_event_id'] ?? '',
  };
  return pool.query(insertSelect('contribution', await fitToTable(pool, 'contribution', again), '')).then(
    () => undefined,
    ({ constraint, message }: pg.DatabaseError) => constraint ?? message,
  );
}

const olderDatabase = () => databaseBefore(MIGRATION);

/** As the release before left it, with rows. */
async function databaseBefore(migration: string): Promise<TestDatabase & { readonly token: string }> {
  const database = await emptyDatabase();
  await applyOlder(database.pool, migration);
  const token = newToken();
  await insertOldRows(database.pool, { token, first: 1, last: ROWS });
  return { ...database, token };
}

const INDEXES = `select indexrelid::regclass::text as name from pg_index
  where indrelid in ('contribution'::regclass, 'estimate'::regclass) and indisvalid and indisunique order by 1`;
const NAMES = [
  'contribution_idempotency_key',
  'contribution_order_holder',
  'contribution_partner_event',
  'contribution_pkey',
  'estimate_idempotency_key',
  'estimate_pkey',
];

test('an event is recorded once at every moment of it, whoever migrates besides', async () => {
  const { databaseUrl, pool, token } = await olderDatabase();
  let isOver = false;
  const migrated = Promise.all([1, 2, 3].map(() => migrate(databaseUrl))).finally(() => {
    isOver = true;
  });
  const refusals: (string | undefined)[] = [];
  for (let number = 1; !isOver; number++) refusals.push(await confirmAgain(pool, token, number));
  const applied = (await migrated).flat().map(({ name }) => name);
  assert.ok(applied.includes(MIGRATION));
  assert.ok(refusals.length > 0);
  for (const refusal of refusals) assert.match(String(refusal), /^contribution_partner_event/);
  assert.equal(await confirmAgain(pool, token, 0), 'contribution_partner_event');
  assert.deepEqual(
    (await pool.query<{ name: string }>(INDEXES)).rows.map(({ name }) => name),
    NAMES,
  );
});

test('each has a name of its own, because those of all missing migrations are built before the first is applied', async () => {
  const folder = new URL('../../migrations/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => /^\d{4}_/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const names = texts.flatMap(listNextIndexes).map(({ name }) => name);
  assert.ok(names.length > 10);
  assert.deepEqual(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
  );
});

test('an index that an earlier attempt left unfinished is built anew', async () => {
  const { databaseUrl, pool, token } = await olderDatabase();
  // What is left of an attempt that was ended: a unique index that cannot be.
  await assert.rejects(
    pool.query('create unique index concurrently contribution_partner_event_next on contribution (partner_id)'),
    /could not create unique index/,
  );
  await migrate(databaseUrl);
  assert.equal(await confirmAgain(pool, token, 1), 'contribution_partner_event');
  assert.deepEqual(
    (await pool.query<{ name: string }>(INDEXES)).rows.map(({ name }) => name),
    NAMES,
  );
});

test('an unfinished index is never taken for a key behind a transaction pooler, where the migration itself builds it', async () => {
  const { databaseUrl, pool, token } = await databaseBefore(NAMES_FIRST);
  const writer = await pool.connect();
  await writer.query('begin; lock table contribution in row exclusive mode');
  const building = pool.query(
    'create unique index concurrently contribution_partner_event_named_next on contribution (partner_event_id, partner_id)',
  );
  const failed = assert.rejects(building, /terminating connection|Connection terminated/);
  const isUnfinished = async () =>
    (await pool.query("select from pg_class where relname = 'contribution_partner_event_named_next'")).rowCount === 1;
  await waitFor('unfinished index', isUnfinished);
  await pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'create unique index concurrently%'",
  );
  await failed;
  await writer.query('commit');
  writer.release();
  assert.ok(await isUnfinished());
  await migrate(databaseUrl, { isPooled: true });
  assert.equal(await confirmAgain(pool, token, 1), 'contribution_partner_event');
  assert.deepEqual(
    (await pool.query<{ name: string }>(INDEXES)).rows.map(({ name }) => name),
    NAMES,
  );
});

test('who has read a contribution and writes it meanwhile is not ended by the replacement', async () => {
  const { databaseUrl, pool } = await databaseBefore(NAMES_FIRST);
  let isOver = false;
  const change = async () => {
    const client = await pool.connect();
    try {
      while (!isOver) {
        await client.query('begin; select from contribution limit 1');
        await sleep(5);
        await client.query('lock table contribution in row exclusive mode; rollback');
      }
    } finally {
      client.release();
    }
  };
  const changes = Promise.all(Array.from({ length: 4 }, change));
  // Awaited at the end; until then a failure must not end the process.
  changes.catch(() => {});
  await migrate(databaseUrl).finally(() => {
    isOver = true;
  });
  await changes;
});

test('of processes that start together the first builds, and the others find nothing to build', async () => {
  const { databaseUrl } = await olderDatabase();
  const found: number[] = [];
  let isApplied = false;
  const start = () =>
    withNextIndexes(
      databaseUrl,
      async () => {
        const indexes = isApplied ? [] : [NEXT];
        found.push(indexes.length);
        return indexes;
      },
      async () => {
        isApplied = true;
      },
    );
  await Promise.all([start(), start(), start()]);
  assert.deepEqual(found, [1, 0, 0]);
});

test('nobody who writes waits for the building, which waits for everybody who writes', async () => {
  const { databaseUrl, pool, token } = await olderDatabase();
  const writer = await pool.connect();
  await writer.query('begin; lock table contribution in row exclusive mode');
  const migrated = migrate(databaseUrl);
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await waitFor('statement that waits for a lock', async () => (await pool.query(waits)).rowCount !== 0);
  assert.equal(await confirmAgain(pool, token, 1), 'contribution_partner_event');
  await writer.query('commit');
  writer.release();
  assert.deepEqual(
    (await migrated).map(({ name }) => name).filter((name) => name === MIGRATION),
    [MIGRATION],
  );
});

/** A backup: it holds no lock that a migration needs, and its snapshot is older than the index. */
async function openSnapshot(databaseUrl: string) {
  const client = await connect(databaseUrl);
  await client.query("set application_name = 'pg_dump'");
  await client.query('begin isolation level repeatable read; select from installation');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { client, pid: rows[0]?.pid };
}

test('for whom the building waits is told once, and for whom another process waits', HANG_LIMIT, async () => {
  const { databaseUrl } = await databaseBefore(NAMES_FIRST);
  const { client, pid } = await openSnapshot(databaseUrl);
  const told: string[] = [];
  const migrated = migrate(databaseUrl, { onWait: (sentence) => told.push(sentence) });
  await waitFor('word of the backup', () => told.length > 0);
  const toldOther: string[] = [];
  const other = migrate(databaseUrl, { onWait: (sentence) => toldOther.push(sentence) });
  await waitFor('word of the first process', () => toldOther.length > 0);
  await client.query('commit');
  await Promise.all([migrated, other]);
  const beginning = `The building of an index waits for a transaction that began before it (process ${pid} pg_dump, open for `;
  assert.deepEqual(
    told.map((sentence) => sentence.startsWith(beginning)),
    [true],
    told.join('\n'),
  );
  assert.match(toldOther.join('\n'), /^Another session builds the indexes of the migrations \(process \d+/);
});

test('a building ends with its process, although what it waits for goes on', HANG_LIMIT, async () => {
  const { databaseUrl, pool } = await databaseBefore(NAMES_FIRST);
  const { client } = await openSnapshot(databaseUrl);
  const child = startMigrating(databaseUrl);
  const building = `select from pg_stat_activity
    where datname = current_database() and query like 'create unique index concurrently%' and state = 'active'`;
  await waitFor('building that waits', async () => (await pool.query(`${building} and wait_event_type = 'Lock'`)).rowCount === 1);
  child.kill('SIGKILL');
  await waitFor('end of the building', async () => (await pool.query(building)).rowCount === 0);
  await client.query('commit');
  const { pending } = await readMigrationState(pool);
  assert.deepEqual(
    (await migrate(databaseUrl)).map(({ name }) => name),
    pending,
  );
});
