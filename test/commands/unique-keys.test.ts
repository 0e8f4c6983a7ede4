/** Without a unique key the same would be recorded twice, without an error: `doctor` and a start tell of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listLackingKeys, listUniqueKeys } from '../../src/store/schema/unique-keys.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { commandLine } from '../support/command-line.ts';
import { connect } from '../support/postgres/connect.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { serviceEnv, spawnService } from '../support/service.ts';

const { databaseUrl, pool } = await testDatabase();
const env = serviceEnv(databaseUrl, {});

async function examineTables(): Promise<string[]> {
  const { stdout } = await commandLine(env).run(['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: { check: string; verdict: string; message: string }[] };
  const told = findings.filter(({ check }) => check === 'tables');
  for (const { verdict } of told) assert.equal(verdict, 'problem');
  return told.map(({ message }) => message);
}

/** The statements that a message of `doctor` gives. */
const statementsOf = (message: string | undefined) =>
  (/ run: (.+?)\. Where/.exec(message ?? '')?.[1] ?? message ?? '').split('; ');

test('the keys are all that a migrated database has', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indisunique and c.relnamespace = 'public'::regnamespace and c.relname !~ '^kysely_' order by 1`,
  );
  const keys = (await listUniqueKeys()).map(({ name }) => name);
  assert.deepEqual(
    keys.toSorted(),
    rows.map(({ name }) => name),
  );
  assert.deepEqual(await listLackingKeys(pool), []);
});

test('doctor names a unique index and a constraint that are missing, with statements that make them again', async () => {
  assert.deepEqual(await examineTables(), []);
  await pool.query('drop index contribution_partner_event');
  await pool.query('alter table event drop constraint event_id_once');
  const messages = await examineTables();
  assert.equal(messages.length, 2);
  const [ofConstraint, ofIndex] = messages;
  assert.match(
    ofConstraint ?? '',
    /^the table event .+event_id_once.+run: alter table event add constraint event_id_once UNIQUE/,
  );
  assert.match(
    ofIndex ?? '',
    /^the table contribution .+ recorded twice.+ run: drop .+; create unique index concurrently contribution_partner_event on contribution/,
  );
  for (const statement of messages.flatMap(statementsOf)) await pool.query(statement);
  assert.deepEqual(await examineTables(), []);
});

test('doctor names a unique index that an ended build left unfinished, and one that is no longer unique', async () => {
  await pool.query('drop index contribution_order_holder; drop index settlement_one_open');
  await pool.query('create index settlement_one_open on settlement (partner_id)');
  const [writer, builder] = [await connect(databaseUrl), await connect(databaseUrl)];
  await writer.query('begin; lock table contribution in row exclusive mode');
  await builder.query("set lock_timeout = '100ms'");
  const build = 'create unique index concurrently contribution_order_holder on contribution (partner_order_ref, partner_id)';
  await assert.rejects(builder.query(build), /lock timeout/);
  await writer.query('rollback');
  const messages = await examineTables();
  assert.deepEqual(
    messages.map((message) => /contribution_order_holder|settlement_one_open/.exec(message)?.[0]),
    ['contribution_order_holder', 'settlement_one_open'],
  );
  for (const statement of messages.flatMap(statementsOf)) await pool.query(statement);
  assert.deepEqual(await examineTables(), []);
});

test(
  'a start without a unique key of contributions is refused, and one without another writes a line about it',
  HANG_LIMIT,
  async () => {
    await pool.query('drop index contribution_partner_event; drop index settlement_one_open');
    await assert.rejects(spawnService(databaseUrl, { LOG_LEVEL: 'error' }), (error: Error) => {
      assert.match(
        error.message,
        /could record a contribution twice:\n {2}- the table contribution lacks contribution_partner_event/,
      );
      return true;
    });
    const [message] = (await examineTables()).filter((each) => each.includes('contribution_partner_event'));
    for (const statement of statementsOf(message)) await pool.query(statement);
    const service = await spawnService(databaseUrl, { LOG_LEVEL: 'error' });
    const told = /"msg":"the table settlement lacks settlement_one_open/;
    await waitFor('line about it', () => told.test(service.output()), service.output);
    assert.equal(await service.end('SIGTERM'), 0);
  },
);
