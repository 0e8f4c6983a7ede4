/** The totals of the days: each event once, whoever adds up, and nothing is removed before it is in them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { addUpDays } from '../../src/operations/contributions/add-up-days.ts';
import { removeOldEventsJob } from '../../src/schedule/jobs/remove-old-events.ts';
import { openDatabase } from '../../src/store/database.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { insertPastContribution } from '../support/contributions/past-contribution.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { untilAllSequenced, untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';

const service = await testService();
const { database } = service;
const { pool } = database;
const toItsEnd = { isOver: () => false };

/** A partner with an event that has its number: that of its settlement. */
async function newQuietPartner() {
  const { partner, client } = await service.newPartner();
  const { partnerId } = partner;
  await untilSequenced(database, partnerId, 1);
  /** With its event, which has its number then. */
  const confirm = async () => {
    await client.confirm({ points: 70 });
    await untilAllSequenced(database, partnerId);
  };
  return { partnerId, confirm };
}

/** A partner whose two events have their numbers: that of its contribution, and that of its settlement. */
async function newPartner(): Promise<string> {
  const { partnerId, confirm } = await newQuietPartner();
  await confirm();
  return partnerId;
}

async function pointsOf(partnerId: string): Promise<unknown> {
  const { rows } = await pool.query('select sum(confirmed_points)::text as points from day_total where partner_id = $1', [
    partnerId,
  ]);
  return rows[0].points;
}

/** One after another: their ids are in this order. */
async function newPartners<Made>(count: number, make: () => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  while (made.length < count) made.push(await make());
  return made;
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

test('everybody has a turn, however short the times are and however much the first ones do', HANG_LIMIT, async () => {
  await addUpDays(database, toItsEnd);
  const partners = await newPartners(3, newQuietPartner);
  const [first] = partners as [Awaited<ReturnType<typeof newQuietPartner>>];
  for (const { confirm } of partners) await confirm();
  const own = { ...database };
  for (let turn = 0; turn < partners.length; turn++) {
    let asked = 0;
    assert.equal(await addUpDays(own, { isOver: () => asked++ > 0 }), 'in part');
    await first.confirm();
  }
  assert.deepEqual(await Promise.all(partners.map(({ partnerId }) => pointsOf(partnerId))), ['70', '70', '70']);
});

test('a partner without new events costs no statement, and one with new events takes five', HANG_LIMIT, async () => {
  const [busy] = (await newPartners(3, newQuietPartner)) as [Awaited<ReturnType<typeof newQuietPartner>>];
  await addUpDays(database, toItsEnd);
  await busy.confirm();
  const { counted, sent } = countingDatabase(database);
  assert.equal(await addUpDays(counted, toItsEnd), 'all');
  assert.equal(await pointsOf(busy.partnerId), '70');
  for (const text of sent.keys()) if (/^(begin|commit)/.test(text)) sent.delete(text);
  assert.deepEqual(Object.fromEntries(sent), {
    list_partners_behind_totals: 1,
    lock_free_day_total_place: 1,
    find_partner: 1,
    sum_events_by_quarter_hour: 1,
    add_day_total: 1,
    update_day_total_place: 1,
  });
});

test('the numbers that no event has, as after a restore, are passed over in one step', HANG_LIMIT, async () => {
  const { partnerId, confirm } = await newQuietPartner();
  await addUpDays(database, toItsEnd);
  await confirm();
  await pool.query('update event_counter set last_sequence = last_sequence + 1000000 where partner_id = $1', [partnerId]);
  await confirm();
  const { counted, sent } = countingDatabase(database);
  assert.equal(await addUpDays(counted, toItsEnd), 'all');
  assert.equal(await pointsOf(partnerId), '140');
  // One before the gap, and one behind it.
  assert.equal(sent.get('sum_events_by_quarter_hour'), 2);
  await pool.query('delete from event where partner_id = $1', [partnerId]);
  await pool.query('update event_counter set last_sequence = last_sequence + 1000000 where partner_id = $1', [partnerId]);
  assert.equal(await addUpDays(counted, toItsEnd), 'all');
  assert.equal(sent.get('sum_events_by_quarter_hour'), 3);
});

test(
  'the days are those of the calendar of its settlements, whatever PostgreSQL takes the name of its zone for',
  HANG_LIMIT,
  async () => {
    const { partnerId } = await newQuietPartner();
    // For PostgreSQL it is two hours ahead of UTC all year.
    await pool.query("update partner set time_zone = 'EET' where partner_id = $1", [partnerId]);
    const confirmed = [
      '2026-07-01T20:59:59.999Z',
      '2026-07-01T21:00Z',
      '2026-07-01T21:30Z',
      '2026-12-01T21:30Z',
      '2026-12-01T22:00Z',
    ];
    for (const [index, at] of confirmed.entries()) {
      const past = { transactionId: `txn_${index}`, points: 10 ** index, at: new Date(at) };
      await insertPastContribution(pool, { partnerId, ...past });
      await pool.query(
        `insert into event (partner_id, sequence, event_id, event_type, subject_id, occurred_at)
        values ($1, $2, $3, 'impact.transaction.confirmed', $4, now())`,
        [partnerId, index + 2, `evt_${index}`, `txn_${index}`],
      );
    }
    await pool.query('update event_counter set last_sequence = $2 where partner_id = $1', [partnerId, confirmed.length + 1]);
    assert.equal(await addUpDays(database, toItsEnd), 'all');
    const { rows } = await pool.query(
      'select day::text, confirmed_count::int4 as count, confirmed_points::int4 as points from day_total where partner_id = $1 order by day',
      [partnerId],
    );
    assert.deepEqual(rows, [
      { day: '2026-07-01', count: 1, points: 1 },
      { day: '2026-07-02', count: 2, points: 110 },
      { day: '2026-12-01', count: 1, points: 1_000 },
      { day: '2026-12-02', count: 1, points: 10_000 },
    ]);
  },
);

test('a partner that cannot be added up holds up no other, and is told of at the end', HANG_LIMIT, async () => {
  const [broken, other] = (await newPartners(2, newPartner)) as [string, string];
  await pool.query(`alter table day_total add constraint not_this_one check (partner_id <> '${broken}') not valid`);
  try {
    await assert.rejects(
      addUpDays({ ...database }, toItsEnd),
      /^PartnersLeftError: The days of 1 partner could not be added up\. .*not_this_one/,
    );
  } finally {
    await pool.query('alter table day_total drop constraint not_this_one');
  }
  assert.deepEqual([await pointsOf(broken), await pointsOf(other)], [null, '70']);
  assert.equal(await addUpDays(database, toItsEnd), 'all');
  assert.equal(await pointsOf(broken), '70');
});

test('of a partner that cannot be added up no old event is removed; those of the others are', HANG_LIMIT, async () => {
  const [broken, other] = (await newPartners(2, newPartner)) as [string, string];
  await pool.query("update event set occurred_at = now() - interval '100 days' where partner_id = any ($1)", [[broken, other]]);
  await pool.query(`alter table day_total add constraint not_this_one check (partner_id <> '${broken}') not valid`);
  const run = () => removeOldEventsJob(90).run({ database, signal: new AbortController().signal, actor: OWNER, alert: () => {} });
  const events = async (partnerId: string) => (await pool.query('select from event where partner_id = $1', [partnerId])).rowCount;
  try {
    await assert.rejects(run(), (error: Error) => {
      assert.match(error.message, /^The days of 1 partner could not be added up\. The first: .*not_this_one/);
      assert.ok(error.message.endsWith(`Left: ${broken}.`), error.message);
      return true;
    });
    assert.deepEqual([await events(broken), await events(other), await pointsOf(other)], [2, 0, '70']);
  } finally {
    await pool.query('alter table day_total drop constraint not_this_one');
  }
  assert.deepEqual(await run(), { events: 2 });
  assert.equal(await pointsOf(broken), '70');
});

test('on one PostgreSQL one partner is added up at a time, on a cluster three', HANG_LIMIT, async (context) => {
  for (const [isDistributed, connections] of [
    [false, 1],
    [true, 3],
  ] as const) {
    await addUpDays(database, toItsEnd);
    await newPartners(6, newPartner);
    const fresh = openDatabase({ databaseUrl: service.databaseUrl });
    context.after(() => fresh.close());
    assert.equal(await addUpDays({ ...fresh, isDistributed }, toItsEnd), 'all');
    assert.equal(fresh.pool.totalCount, connections);
  }
});
