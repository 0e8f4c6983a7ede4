/** The service under a role that may only read and write rows, as docs/operating.md grants it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { JOB_NAME } from '../../console/src/texts/code-texts.ts';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/service/start-service.ts';
import { openDatabase } from '../../src/store/database.ts';
import { problemOf } from '../../src/store/database-problem.ts';
import { startUpOf } from '../../src/store/session-settings.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { commandLine } from '../support/command-line.ts';
import { listBlocks } from '../support/document-blocks.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase, testDatabase } from '../support/postgres/database.ts';
import { serviceEnv, withPartners } from '../support/service.ts';

const [OWNER, ROLE] = [`owner_${process.pid}`, `service_${process.pid}`];
const block = listBlocks().find(
  ({ path, text }) => path === 'docs/operating.md' && text.startsWith('create role impact_service'),
);
const GRANTS = block?.text.replaceAll('impact_service', ROLE).replaceAll('for role impact ', `for role ${OWNER} `) ?? '';

const { databaseUrl, pool } = await testDatabase();
await pool.query(`create role ${OWNER}`);
await pool.query(GRANTS);
after(async () => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const role of [ROLE, OWNER]) await client.query(`drop owned by ${role}; drop role ${role}`);
  await client.end();
});
const asRole = (url: string) => url.replace('user=postgres', `user=${ROLE}`);
const env = serviceEnv(asRole(databaseUrl), {});

test('confirms, estimates, links, delivers and runs every job', async () => {
  const service = await startService(readConfig(env));
  after(() => service.stop());
  const { rows } = await service.database.pool.query(
    'select current_user as role, usesuper from pg_user where usename = current_user',
  );
  assert.deepEqual(rows, [{ role: ROLE, usesuper: false }]);
  const { client } = await withPartners(service.baseUrl, service.database).newPartner();
  const orderRef = uniqueId('order');
  const estimate = await client.estimate({ partner_order_ref: orderRef });
  const { body } = await client.confirm({
    partner_order_ref: orderRef,
    calculation_id: estimate.body.estimate.calculation_id,
  });
  assert.equal(body.association.status, 'associated');
  await waitFor('the sequence of the event', async () => (await client.listEvents()).body.events.length > 0);
  const { run, runJson } = commandLine(env);
  for (const job of Object.keys(JOB_NAME)) {
    const { code, stderr } = await run(['job', 'run', job]);
    assert.equal(code, 0, `${job}: ${stderr}`);
  }
  assert.equal((await runJson('doctor')).ok, true);
  assert.ok((await runJson('partner', 'create', '--name', 'By the command line')).partner_id);
});

test('doctor names what the role may not do to which table', async () => {
  const client = await connect(databaseUrl);
  const { run, runJson } = commandLine(env);
  await client.query(`revoke insert, delete on contribution from ${ROLE}; revoke select on partner from ${ROLE}`);
  const { code, stdout } = await run(['doctor', '--json']);
  assert.equal(code, 1);
  const { findings } = JSON.parse(stdout);
  const { message } = findings.find(({ check }: { check: string }) => check === 'rights');
  assert.match(message, new RegExp(`^the role ${ROLE} lacks rights on contribution, partner: grant`));
  await client.query(`grant insert, delete on contribution to ${ROLE}; grant select on partner to ${ROLE}`);
  assert.equal((await runJson('doctor')).ok, true);
});

test('a table whose rows a policy would hide refuses its statements, and doctor names it', async () => {
  const client = await connect(databaseUrl);
  const database = openDatabase({ databaseUrl: asRole(databaseUrl), poolSize: 1 });
  after(() => database.close());
  await database.pool.query('select from contribution');
  await client.query('alter table contribution enable row level security');
  await assert.rejects(database.pool.query('select from contribution'), (error: Error) => {
    assert.deepEqual(problemOf(error)?.reason, 'rights_missing');
    return /row-level security policy for table "contribution"/.test(error.message);
  });
  const { run, runJson } = commandLine(env);
  const { code, stdout } = await run(['doctor', '--json']);
  assert.equal(code, 1);
  const { findings } = JSON.parse(stdout);
  const { message } = findings.find(({ check }: { check: string }) => check === 'rights');
  assert.match(message, new RegExp(`^row-level security hides rows of contribution from the role ${ROLE}: as the owner`));
  await client.query('alter table contribution disable row level security');
  assert.equal((await runJson('doctor')).ok, true);
});

test('behind a transaction pooler doctor warns while hidden rows would be no error', async () => {
  const client = await connect(databaseUrl);
  const pooled = commandLine({ ...env, DATABASE_PREPARED_STATEMENTS: 'off' });
  const warned = async () => {
    const { findings } = JSON.parse((await pooled.run(['doctor', '--json'])).stdout);
    return findings.some(({ message }: { message: string }) => message.includes('set row_security = off'));
  };
  assert.equal(await warned(), true);
  await client.query(`alter role ${ROLE} set row_security = off`);
  assert.equal(await warned(), false);
  await client.query(`alter role ${ROLE} reset row_security`);
});

/** One block is of Citus; a server without it accepts its settings all the same. A further one has what a session has on Citus alone. */
const POOLED = listBlocks().filter(
  ({ path, text }) => path === 'docs/operating.md' && /^alter role impact set (?!client_min_messages)/.test(text),
);

test('behind a transaction pooler the role has every setting that a session of the service has otherwise', async () => {
  const client = await connect(databaseUrl);
  const { options } = startUpOf(databaseUrl, []);
  const sent = [...options.matchAll(/-c ([\w.]+)=/g)].map(([, name]) => name);
  const names = ['statement_timeout', 'synchronous_commit', ...sent];
  const read = 'select name, current_setting(name, true) as value from unnest($1::text[]) name';
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  const wanted = await database.pool.query(read, [names]);
  for (const { text } of POOLED) await client.query(text.replaceAll('role impact ', `role ${ROLE} `));
  const pooled = await connect(asRole(databaseUrl));
  assert.deepEqual((await pooled.query(read, [names])).rows, wanted.rows);
  // Also those that this server has by itself.
  const written = POOLED.flatMap(({ text }) => [...text.matchAll(/ set ([\w.]+) =/g)].map(([, name]) => name));
  assert.deepEqual(
    names.filter((name) => !written.includes(name)),
    [],
  );
  await client.query(`alter role ${ROLE} reset all`);
});

test('may change no table, and a start that misses a migration changes nothing', async () => {
  const client = await connect(asRole(databaseUrl));
  for (const statement of ['drop table contribution', 'alter table partner add column x int', 'truncate audit_entry'])
    await assert.rejects(client.query(statement), /must be owner|permission denied/);
  const empty = await emptyDatabase();
  await assert.rejects(startService(readConfig(serviceEnv(asRole(empty.databaseUrl), {}))), /permission denied/);
  const { rows } = await empty.pool.query(
    "select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace",
  );
  assert.deepEqual(rows, [{ tables: 0 }]);
});
