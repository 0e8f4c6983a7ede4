/** The totals of the days: each event once, whoever adds up, and nothing is removed before it is in them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addUpDays } from '../../src/operations/contributions/add-up-days.ts';
import { removeOldEventsJob } from '../../src/schedule/jobs/remove-old-events.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
const toItsEnd = { isOver: () => false };

/** A partner whose two events have their numbers: that of its contribution, and that of its settlement. */
async function newPartner(): Promise<string> {
  const { partner, client } = await service.newPartner();
  await client.confirm({ points: 70 });
  const counter = 'select from event_counter where partner_id = $1 and last_sequence = 2';
  await waitFor('the numbers of the events', async () => (await pool.query(counter, [partner.partnerId])).rowCount === 1);
  return partner.partnerId;
}

async function pointsOf(partnerId: string): Promise<unknown> {
  const { rows } = await pool.query('select sum(confirmed_points)::text as points from day_total where partner_id = $1', [
    partnerId,
  ]);
  return rows[0].points;
}

/** As another process does that adds up this partner, until the test ends at the latest. */
async function holdPlace(partnerId: string, test: TestContext): Promise<() => Promise<void>> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('insert into day_total_place (partner_id, through_sequence) values ($1, 0) on conflict do nothing', [
    partnerId,
  ]);
  await client.query('commit');
  await client.query('begin');
  await client.query('select from day_total_place where partner_id = $1 for update', [partnerId]);
  let isHeld = true;
  const letGo = async () => {
    if (!isHeld) return;
    isHeld = false;
    await client.query('rollback');
    client.release();
  };
  test.after(letGo);
  return letGo;
}

test('what another process adds up is left to it, and is not called complete', HANG_LIMIT, async (context) => {
  const partnerId = await newPartner();
  const letGo = await holdPlace(partnerId, context);
  assert.equal(await addUpDays(database, toItsEnd), 'by others');
  assert.equal(await pointsOf(partnerId), null);
  await letGo();
  assert.equal(await addUpDays(database, { isOver: () => true }), 'in part');
  assert.equal(await addUpDays(database, toItsEnd), 'all');
  assert.equal(await addUpDays(database, toItsEnd), 'all');
  assert.equal(await pointsOf(partnerId), '70');
});

test('no old event is removed while another process adds up: the job waits for it', HANG_LIMIT, async (context) => {
  const partnerId = await newPartner();
  await pool.query("update event set occurred_at = now() - interval '100 days' where partner_id = $1", [partnerId]);
  const events = async () => (await pool.query('select from event where partner_id = $1', [partnerId])).rowCount;
  const letGo = await holdPlace(partnerId, context);
  const run = removeOldEventsJob(90).run({ database, signal: new AbortController().signal, actor: OWNER, alert: () => {} });
  const waits =
    "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%day_total_place%' and datname = current_database()";
  await waitFor('the job that waits', async () => (await pool.query(waits)).rowCount === 1);
  assert.equal(await events(), 2);
  await letGo();
  assert.deepEqual(await run, { events: 2 });
  assert.equal(await pointsOf(partnerId), '70');
  assert.equal(await events(), 0);
});
