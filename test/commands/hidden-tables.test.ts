/** Tables that the role does not find are not taken for a new database, and nobody makes empty ones beside them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/service/start-service.ts';
import { migrate, readMigrationState } from '../../src/store/schema/migrate.ts';
import { commandLine } from '../support/command-line.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase, testDatabase } from '../support/postgres/database.ts';
import { serviceEnv } from '../support/service.ts';

const { databaseUrl, name } = await testDatabase();
const administrator = await connect(databaseUrl);
const ROLE = `newcomer_${process.pid}`;

async function countSchemas(): Promise<number> {
  const { rows } = await administrator.query(
    "select count(distinct relnamespace)::int as count from pg_class where relname = 'contribution'",
  );
  return rows[0].count;
}

async function assertTold(url: string, words: RegExp): Promise<void> {
  const env = serviceEnv(url, {});
  const { run } = commandLine(env);
  const { code, stdout } = await run(['doctor', '--json']);
  assert.equal(code, 1);
  const { findings } = JSON.parse(stdout);
  assert.match(findings.find(({ check }: { check: string }) => check === 'tables')?.message ?? stdout, words);
  assert.doesNotMatch(stdout, /partner-impact migrate/);
  for (const command of [['migrate'], ['partner', 'list']]) {
    const { stderr } = await run(command);
    assert.match(stderr, words, command.join(' '));
    assert.doesNotMatch(stderr, /partner-impact migrate/);
  }
  await assert.rejects(startService(readConfig(env)), words);
  await assert.rejects(migrate(url), words);
  await assert.rejects(migrate(url, { isPooled: true }), words);
  assert.equal(await countSchemas(), 1);
}

test('with another search_path, doctor, commands and a start name the schema and make no tables', async () => {
  await administrator.query(`create schema elsewhere; alter database ${name} set search_path = elsewhere`);
  await assertTold(
    databaseUrl,
    /tables of this installation are in the schema public of the database, where the search_path of the role postgres \(elsewhere\) does not lead: set it as it was/,
  );
  await administrator.query(`alter database ${name} reset search_path`);
  assert.deepEqual((await readMigrationState(administrator)).pending, []);
});

test('of a role that may not use the schema, the right is named', async () => {
  await administrator.query(`create role ${ROLE} login; revoke usage on schema public from public`);
  after(async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`drop owned by ${ROLE}; drop role ${ROLE}`);
    await client.end();
  });
  await assertTold(
    databaseUrl.replace('user=postgres', `user=${ROLE}`),
    new RegExp(
      `the schema public of the database, which the role ${ROLE} may not use: .+ grant usage on schema public to ${ROLE}`,
    ),
  );
});

test('a copy beside the tables that are found, and the list of another program, hide nothing', async () => {
  const { databaseUrl: url, pool } = await emptyDatabase();
  await pool.query('create schema other; create table other.kysely_migration (name text)');
  const applied = await migrate(url);
  assert.ok(applied.length > 0);
  await pool.query('create table other.contribution (like public.contribution)');
  assert.deepEqual((await readMigrationState(pool)).pending, []);
  const { findings } = JSON.parse((await commandLine(serviceEnv(url, {})).run(['doctor', '--json'])).stdout);
  assert.equal(
    findings.find(({ check }: { check: string }) => check === 'tables'),
    undefined,
  );
});

test('a search_path that DATABASE_URL names has tables of its own beside others', async () => {
  const { databaseUrl: url, pool } = await emptyDatabase();
  await migrate(url);
  await pool.query('create schema second');
  const second = new URL(url);
  second.searchParams.set('options', '-c search_path=second');
  const { rows } = await pool.query('select count(*)::int as count from kysely_migration');
  assert.equal((await migrate(second.href)).length, rows[0].count);
  const { findings } = JSON.parse((await commandLine(serviceEnv(second.href, {})).run(['doctor', '--json'])).stdout);
  assert.equal(findings.find(({ check }: { check: string }) => check === 'migrations')?.verdict, 'ok');
});
