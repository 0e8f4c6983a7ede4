/** While somebody lets new sessions find a copy of the tables, no connection of the service reads or writes the copy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openAuditKeys } from '../../src/service/keys/configured-keys.ts';
import { openDatabase } from '../../src/store/database.ts';
import { OneSchema } from '../../src/store/one-schema.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { spawnService, testService, withPartners } from '../support/service.ts';

const COPY = `do $$ declare each record; begin
    create schema restored;
    for each in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
      execute format('create table restored.%I (like public.%I including all)', each.relname, each.relname);
      execute format('insert into restored.%I overriding system value select * from public.%I', each.relname, each.relname);
    end loop;
  end $$`;

test('a connection that finds the tables in another schema than the open ones do is refused, until those have ended', async () => {
  const { databaseUrl, name } = await testDatabase();
  const administrator = await connect(databaseUrl);
  await administrator.query(COPY);
  const oneSchema = new OneSchema();
  const open = () => {
    const database = openDatabase({ databaseUrl, poolSize: 1, oneSchema });
    after(() => database.close());
    return database;
  };
  const findSchema = `select relnamespace::regnamespace::text as schema from pg_class where oid = 'contribution'::regclass`;
  const [first, second] = [open(), open()];
  assert.deepEqual((await first.pool.query(findSchema)).rows, [{ schema: 'public' }]);
  await administrator.query(`alter database ${name} set search_path = restored, public`);
  await assert.rejects(second.pool.query(findSchema), { name: 'UnfitDatabaseError', reason: 'other_tables' });
  assert.deepEqual((await first.pool.query(findSchema)).rows, [{ schema: 'public' }]);
  await first.pool.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {});
  await waitFor('end of the connections', () => oneSchema.name === undefined);
  assert.deepEqual((await second.pool.query(findSchema)).rows, [{ schema: 'restored' }]);
});

test('the schema that another process finds counts for the first connection of this one', async () => {
  const { databaseUrl } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1, oneSchema: new OneSchema('restored') });
  after(() => database.close());
  await assert.rejects(
    database.pool.query('select 1'),
    /finds the tables in the schema public, and the others find them in restored/,
  );
});

test('a database without tables refuses no connection, and those that are made later are found', async () => {
  const oneSchema = new OneSchema();
  const { databaseUrl, name } = await testDatabase();
  const administrator = await connect(databaseUrl);
  await administrator.query(`create schema hidden; alter database ${name} set search_path = hidden`);
  const database = openDatabase({ databaseUrl, poolSize: 1, oneSchema });
  after(() => database.close());
  await database.pool.query('select 1');
  assert.equal(oneSchema.name, undefined);
  await administrator.query(`alter database ${name} reset search_path`);
  const later = openDatabase({ databaseUrl, poolSize: 1, oneSchema });
  after(() => later.close());
  await later.pool.query('select 1');
  assert.equal(oneSchema.name, 'public');
});

test('a stored contribution is never answered with 404, although new sessions find a copy without it', async () => {
  const service = await testService();
  const { client } = await service.newPartner();
  const administrator = await connect(service.databaseUrl);
  await administrator.query(COPY);
  const { body } = await client.confirm();
  const find = async () => (await client.findByEvent(body.contribution.partner_event_id)).status;
  assert.equal(await find(), 200);
  const readiness = async () => (await fetch(`http://127.0.0.1:${service.operationsPort}/readyz`)).text();
  assert.equal(await readiness(), 'ready\n');
  const { rows } = await administrator.query('select current_database() as name');
  await administrator.query(`alter database "${rows[0].name}" set search_path = restored, public`);
  // The session of the watch stays, which finds the original.
  await administrator.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'partner-impact' and query not like '%pg_logical_emit_message%'`);
  const statuses = await Promise.all(Array.from({ length: 20 }, find));
  assert.deepEqual(new Set(statuses), new Set([503]));
  await waitFor('reason in /readyz', async () => /finds other tables than the open ones/.test(await readiness()), readiness);
  await administrator.query(`alter database "${rows[0].name}" reset search_path`);
  await waitFor('answer 200', async () => (await find()) === 200);
  assert.equal((await client.confirm()).status, 201);
});

test(
  'a process that takes the place of another one finds the tables that the others find, or takes no requests',
  HANG_LIMIT,
  async () => {
    const { databaseUrl, name } = await testDatabase();
    const administrator = await connect(databaseUrl);
    const crew = await spawnService(databaseUrl, { LOG_LEVEL: 'info' }, ['--processes', '2']);
    const database = openDatabase({ databaseUrl, poolSize: 1, auditKeys: () => openAuditKeys(readConfig({})) });
    after(() => database.close());
    const { client } = await withPartners(crew.baseUrl, database).newPartner();
    await administrator.query(COPY);
    const { body } = await client.confirm();
    await administrator.query(`alter database ${name} set search_path = restored, public`);
    const children = () =>
      readFileSync(`/proc/${crew.process.pid}/task/${crew.process.pid}/children`, 'utf8').trim().split(' ').map(Number);
    const [victim = 0] = children();
    process.kill(victim, 'SIGKILL');
    await waitFor('refusal of the start', () =>
      /finds the tables in the schema restored.*a process could not start/s.test(crew.output()),
    );
    const find = async () => (await client.findByEvent(body.contribution.partner_event_id)).status;
    for (let look = 0; look < 20; look++) assert.notEqual(await find(), 404);
    await administrator.query(`alter database ${name} reset search_path`);
    await waitFor('answer 200', async () => (await find()) === 200);
    assert.equal(await crew.end('SIGTERM'), 0);
  },
);
