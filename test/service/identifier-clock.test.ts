/** The clock of new identifiers: lists of a span of time find records by their ids. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { ID_PREFIXES, newId, timeOfId } from '../../src/domain/identifiers.ts';
import { DatabaseWatch } from '../../src/service/database-watch.ts';
import { setIdentifierClock } from '../../src/service/identifier-clock.ts';
import { openRules } from '../../src/service/open-rules.ts';
import { openDatabase } from '../../src/store/database.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { connect } from '../support/postgres/connect.ts';
import { emptyDatabase, testDatabase } from '../support/postgres/database.ts';
import { testService } from '../support/service.ts';

const HOUR_MS = 3_600_000;
/** Longer than an id may differ from the time of its record. */
const SUSPENDED_MS = 1_200_000;

/** By this machine's clock, which is the database's too unless a test changes that. */
const idAheadMs = () => Number(timeOfId(ID_PREFIXES.contribution, newId(ID_PREFIXES.contribution))) - Date.now();
/** Never earlier than it, which tells whole milliseconds: no reading of it contradicts this. */
const useMachineClock = () => setIdentifierClock(Date.now() + 1 - performance.now());

test('new identifiers follow the clock of the database that the watch reads', async (context) => {
  const { databaseUrl, name } = await emptyDatabase();
  const administrator = await connect(databaseUrl);
  await administrator.query(`create schema ahead;
    create function ahead.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() + interval '7 hours' $$;
    alter database ${name} set search_path = ahead, pg_catalog`);
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  const watch = new DatabaseWatch({ database, logger: pino({ level: 'silent' }) });
  context.after(async () => {
    watch.close();
    await database.close();
    // What comes later uses the same clock.
    useMachineClock();
  });
  assert.match(String(await watch.check()), /its clock is not that of this machine/);
  assert.equal(Math.round(idAheadMs() / HOUR_MS), 7);
});

test('a contribution that is confirmed right after the machine was suspended is in the list of its time', async (context) => {
  const machineNow = Date.now;
  let suspendedMs = 0;
  context.mock.method(Date, 'now', () => machineNow() + suspendedMs);
  const { newPartner } = await testService();
  const { client } = await newPartner();
  const { contribution: before } = (await client.confirm()).body;
  // The clock of identifiers stood still while the database's went on, and the machine's shows it.
  setIdentifierClock(machineNow() - performance.now() - 2 * SUSPENDED_MS);
  suspendedMs = SUSPENDED_MS;
  const { contribution } = (await client.confirm()).body;
  const listed = await client.call(`/v1/impact-transactions?created_after=${before.created_at}`);
  assert.deepEqual(
    listed.body.contributions.map((each: { transaction_id: string }) => each.transaction_id),
    [before.transaction_id, contribution.transaction_id],
  );
});

test('rules whose reading took long let no identifier run ahead of the database', HANG_LIMIT, async () => {
  const { databaseUrl, pool } = await testDatabase();
  const database = openDatabase({ databaseUrl, poolSize: 1 });
  after(() => database.close());
  useMachineClock();
  const holder = await pool.connect();
  await holder.query('begin; lock table rule_revision');
  const rules = openRules(
    database,
    undefined,
    () => () => {},
    () => {},
  );
  after(() => rules.close());
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await waitFor('the reading of the rules', async () => (await pool.query(waits)).rowCount !== 0);
  // The clock is read when the table is free.
  await sleep(1_000);
  await holder.query('rollback');
  holder.release();
  await rules.rulesOf({ partnerId: 'ptn_someone', currency: null }, performance.now());
  assert.ok(idAheadMs() < 500);
});
