/** Migrations beside those who write: nobody waits for one that waits for a table. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { listStatements, migrate, readMigrationState } from '../../src/store/schema/migrate.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { applyOlder, insertOldRows } from '../support/postgres/older-database.ts';

const FIRST = '0009_reconciliation_key';
const ROWS = 2_000;
const LOOK_EVERY_MS = 5;

/** Far longer than a migration may hold anybody up, and shorter than one that waits in front of others for seconds. */
const WRITER_LOCK_TIMEOUT_MS = 2_000;

/** Every table of the older database, each read by a session of its own that does not end: a report, or a copy. */
async function holdTables(databaseUrl: string, pool: pg.Pool): Promise<Map<string, pg.Client>> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'kysely%'`,
  );
  const holders = new Map<string, pg.Client>();
  for (const { name } of rows) {
    const client = await connect(databaseUrl);
    await client.query(`begin; lock table ${name} in access share mode`);
    holders.set(name, client);
  }
  return holders;
}

/** Writes until it is told to stop, as confirmations and estimates do; a statement that waits too long for a lock fails. */
async function write(databaseUrl: string, signal: AbortSignal) {
  const client = await connect(databaseUrl);
  await client.query(`set lock_timeout = ${WRITER_LOCK_TIMEOUT_MS}`);
  const told = { written: 0, failures: [] as string[] };
  const token = newToken();
  const run = async () => {
    for (let number = 1; !signal.aborted; number++)
      try {
        await insertOldRows(client, { token, first: number, last: number });
        told.written++;
      } catch (failure) {
        told.failures.push((failure as Error).message);
      }
  };
  return { told, done: run() };
}

test('whatever table others hold for long, and however many, nobody waits behind the migrations', HANG_LIMIT, async () => {
  const { databaseUrl, pool } = await emptyDatabase();
  await applyOlder(pool, FIRST);
  await insertOldRows(pool, { token: newToken(), first: 1, last: ROWS });
  const holders = await holdTables(databaseUrl, pool);
  const stop = new AbortController();
  const { told, done } = await write(databaseUrl, stop.signal);
  const migrated = migrate(databaseUrl).finally(() => stop.abort());
  const released: string[] = [];
  while (!stop.signal.aborted) {
    const { rows } = await pool.query<{ name: string }>(
      `select relation::regclass::text as name from pg_locks where not granted and locktype = 'relation' and mode like 'Access%Exclusive%'
       or not granted and locktype = 'relation' and mode = 'ShareRowExclusiveLock'`,
    );
    const name = rows.map((row) => row.name).find((each) => holders.has(each));
    if (name === undefined) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    // Somebody writes on while the migration waits, tries again, and waits again.
    const before = told.written;
    await waitFor('writing beside the migration', () => told.failures.length > 0 || told.written >= before + 20);
    await holders.get(name)?.query('commit');
    holders.delete(name);
    released.push(name);
  }
  assert.ok((await migrated).length > 5);
  await done;
  assert.deepEqual(told.failures, []);
  for (const name of ['contribution', 'estimate', 'event_outbox', 'settlement_line', 'adjustment'])
    assert.ok(released.includes(name), `${name} was not waited for; those that were: ${released}`);
});

test(
  'what was applied stays when a later file gets no lock, who may hold it is told, and the next start goes on',
  HANG_LIMIT,
  async () => {
    const { databaseUrl, pool } = await emptyDatabase();
    await applyOlder(pool, FIRST);
    const holder = await connect(databaseUrl);
    await holder.query('begin; lock table adjustment in access share mode');
    const { rows } = await holder.query('select pg_backend_pid() as pid');
    const told: string[] = [];
    const migrated = migrate(databaseUrl, { onWait: (sentence) => told.push(sentence) });
    const { pending } = await readMigrationState(pool);
    await waitFor('file before the one that waits', async () => {
      const [next] = (await readMigrationState(pool)).pending;
      return next === '0013_settled_amounts';
    });
    await waitFor('word of who holds the table', () => told.length > 0);
    // The tables of the files before are free again.
    const other = await connect(databaseUrl);
    await other.query("begin; set local lock_timeout = '2s'; lock table contribution, estimate in access exclusive mode; commit");
    await holder.query('commit');
    assert.deepEqual(
      (await migrated).map(({ name }) => name),
      pending,
    );
    assert.equal(told.length, 1, told.join('\n'));
    const sentence = `The migration 0013_settled_amounts waits for a table that another session locks (it may be process ${rows[0]?.pid}, open for `;
    assert.ok(told[0]?.startsWith(sentence), told[0]);
  },
);

test(
  'where the tables are in another schema and there is no public, a migration waits and tells of the holder too',
  HANG_LIMIT,
  async () => {
    const { databaseUrl, pool, name } = await emptyDatabase();
    await pool.query(`create schema own; drop schema public; alter database ${name} set search_path = own`);
    const owner = await connect(databaseUrl);
    await applyOlder(owner, FIRST);
    await owner.query('create schema other; create table other.adjustment ()');
    const [stranger, holder] = [await connect(databaseUrl), await connect(databaseUrl)];
    await stranger.query('begin; lock table other.adjustment in access share mode');
    await holder.query('begin; lock table adjustment in access share mode');
    const { rows } = await holder.query('select pg_backend_pid() as pid');
    const told: string[] = [];
    const migrated = migrate(databaseUrl, { onWait: (sentence) => told.push(sentence) });
    await Promise.race([migrated, waitFor('word of who holds the table', () => told.length > 0)]);
    assert.match(
      told[0] ?? '',
      new RegExp(`waits for a table that another session locks \\(it may be process ${rows[0]?.pid}, `),
    );
    await holder.query('commit');
    assert.ok((await migrated).length > 0);
    await stranger.query('rollback');
  },
);

const FOLDER = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** Files that do what later ones may not, and why nobody notices: their tables have few rows, or are on no way of a confirmation. */
const ALLOWED: Readonly<Record<string, string>> = {
  '0009_reconciliation_key.sql': 'reconciliation: a row for each list of a partner',
  '0013_settled_amounts.sql': 'adjustment: made by people, one by one',
  '0014_queues_under_a_snapshot.sql': 'event_outbox: empty but for the last second',
  '0017_people.sql': 'operator and installation: a row for each person, and one',
};

/** What reads, or writes anew, all of a table whose rows nobody may write meanwhile. */
function readsWholeTable(statement: string, made: ReadonlySet<string>): boolean {
  const text = statement.replaceAll(/--.*$/gm, ' ').replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const [, indexed] = /^create (?:unique )?index (?:if not exists )?\w+ on (\w+)/.exec(text) ?? [];
  if (indexed !== undefined) return !made.has(indexed) && !/^create (?:unique )?index if not exists \w+_next /.test(text);
  const [, altered] = /^alter table (\w+)/.exec(text) ?? [];
  if (altered === undefined || made.has(altered)) return /^(?:update|insert into|delete from) /.test(text);
  const isChecked = /add constraint \w+ (?:check|foreign key)/.test(text) && !text.includes('not valid');
  const isBuilt = /add constraint \w+ (?:unique|primary key)/.test(text) && !text.includes('using index');
  return isChecked || isBuilt || /alter column \w+ (?:set not null|(?:set data )?type)/.test(text);
}

test('no migration reads a whole table while nobody may write to it; what is validated has a file of its own', async () => {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}_/.test(file) && file > FIRST.slice(0, 4)).sort();
  const found: string[] = [];
  for (const file of files) {
    const statements = listStatements(await readFile(`${FOLDER}${file}`, 'utf8'));
    const made = new Set(statements.flatMap((statement) => /^create table (\w+)/m.exec(statement)?.[1] ?? []));
    if (statements.some((statement) => readsWholeTable(statement, made))) found.push(file);
    const validating = statements.filter((statement) => /^[^-]*\bvalidate constraint\b/m.test(statement));
    assert.ok(validating.length === 0 || statements.length === 1, `${file}: validates beside something else`);
  }
  assert.deepEqual(found, Object.keys(ALLOWED));
});

test('what the files are judged by finds what holds writers up', () => {
  const made = new Set(['fresh']);
  for (const [statement, isFound] of [
    ['create index slow on contribution (points);', true],
    ['create unique index if not exists contribution_x_next on contribution (points);', false],
    ['create index if not exists contribution_y_next on contribution (points);', false],
    ['create index quick on fresh (points);', false],
    ['alter table contribution add constraint positive check (points > 0);', true],
    ['alter table contribution add constraint positive check (points > 0) not valid;', false],
    ['alter table contribution validate constraint positive;', false],
    ['alter table contribution add constraint once unique (points);', true],
    ['alter table contribution alter column points type numeric;', true],
    ['alter table contribution\n  alter column points set not null;', true],
    ['alter table contribution add column note text;', false],
    ['-- Why.\nupdate contribution set points = 1;', true],
  ] as const)
    assert.equal(readsWholeTable(statement, made), isFound, statement);
});

describe('a first start that was ended in the middle', HANG_LIMIT, () => {
  for (const before of ['0002', '0003', '0007', '0012', '0014'])
    test(`goes on with ${before}`, async () => {
      const { databaseUrl, pool } = await emptyDatabase();
      await applyOlder(pool, before);
      const [first] = await migrate(databaseUrl);
      assert.ok(first?.name.startsWith(before));
      assert.deepEqual((await readMigrationState(pool)).pending, []);
    });
});
