/** Retention: what becomes of events, deliveries and attempts that are older than it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeOldEvents } from '../../src/operations/events/remove-old-events.ts';
import { openDatabase } from '../../src/store/database.ts';
import { deleteOldEvents, deleteOldEventsOnNode } from '../../src/store/events/delete-old-events.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { listDeliveryAttempts } from '../../src/store/webhooks/attempt-log.ts';
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts';
import { testEndpoint } from '../../src/webhooks/endpoints/test-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database, Date.now);
const withEndpoint = () => newEndpoint(service, tools);

test('what is older than its retention goes, with its deliveries and attempts; what is younger stays', HANG_LIMIT, async () => {
  const { client: caller, partner, endpointId } = await withEndpoint();
  const { partnerId } = partner;
  for (let count = 0; count < 3; count++) await caller.confirm();
  await testEndpoint(tools, OWNER, { partnerId, endpointId });
  await untilDeliveries(database, partnerId, (all) => all.length === 4 && all.every(({ status }) => status === 'delivered'));
  await database.pool.query("update event set occurred_at = now() - interval '91 days' where partner_id = $1 and sequence <= 3", [
    partnerId,
  ]);
  await database.pool.query(
    "update delivery set created_at = now() - interval '91 days' where partner_id = $1 and sequence is null",
    [partnerId],
  );
  assert.equal(await removeOldEvents(database, 90), 3);
  const counted = async (table: string) =>
    Number((await database.pool.query(`select count(*) from ${table} where partner_id = $1`, [partnerId])).rows[0].count);
  const [kept] = await listDeliveries(database.pool, partnerId, { limit: 10 });
  const log = await listDeliveryAttempts(database.pool, partnerId, kept?.deliveryId as string);
  const { rows: left } = await database.pool.query(
    'select delivery_id from delivery_attempt where partner_id = $1 and delivery_id <> $2',
    [partnerId, kept?.deliveryId],
  );
  assert.deepEqual([await counted('event'), await counted('delivery'), log.length, left], [1, 1, 1, []]);
});

test(
  'they go as many at once of a partner who had thousands of endpoints, with what was sent to removed ones',
  HANG_LIMIT,
  async () => {
    const { client: caller, partner } = await withEndpoint();
    const { partnerId } = partner;
    for (let count = 0; count < 12; count++) await caller.confirm();
    await untilDeliveries(database, partnerId, (all) => all.length === 12 && all.every(({ status }) => status === 'delivered'));
    await database.pool.query(
      `insert into webhook_endpoint select (jsonb_populate_record(e, jsonb_build_object('endpoint_id', e.endpoint_id || n))).*
    from webhook_endpoint e, generate_series(1, 4999) n where e.partner_id = $1`,
      [partnerId],
    );
    await database.pool.query("update webhook_endpoint set status = 'removed' where partner_id = $1", [partnerId]);
    await database.pool.query("update event set occurred_at = now() - interval '91 days' where partner_id = $1", [partnerId]);
    const all = (await database.pool.query('select from event where partner_id = $1', [partnerId])).rowCount as number;
    const { counted, sent } = countingDatabase(database);
    assert.equal(await removeOldEvents(counted, 90), all);
    const removing = sent
      .entries()
      .filter(([name]) => /delete from event where/.test(name))
      .toArray();
    assert.equal(
      removing.reduce((sum, [, times]) => sum + times, 0),
      1,
    );
    assert.equal((await listDeliveries(database.pool, partnerId, { limit: 10 })).length, 0);
  },
);

for (const remove of [deleteOldEvents, deleteOldEventsOnNode])
  test(`deliveries go in parts of one event that has more than ten thousand, and the event with the last ones (${remove.name})`, {
    ...HANG_LIMIT,
  }, async () => {
    const { partner, endpointId } = await withEndpoint();
    const { partnerId } = partner;
    await untilSequenced(database, partnerId, 1);
    await database.pool.query(
      `insert into event (partner_id, sequence, event_id, event_type, subject_id, occurred_at)
      select $1, n, 'evt_' || $1 || n, 'settlement.created', 'stl_1', now() - interval '91 days' from generate_series(11, 13) n`,
      [partnerId],
    );
    await database.pool.query(
      `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, created_at, ended_at)
      select $1, 'dlv_' || $1 || sequence || '.' || lpad(n::text, 8, '0'), $2, 'evt_' || $1 || sequence, sequence, 'settlement.created',
        'replay', 'delivered', 0, now(), now(), now()
      from (values (11, 1), (12, 10001), (13, 1)) made (sequence, count), generate_series(1, count) n`,
      [partnerId, endpointId],
    );
    const removeSome = () => inTransaction(database, USUAL_LOCK_TIMEOUT, (db) => remove(db, partnerId, { days: 90, limit: 500 }));
    const listLeft = async () => {
      const { rows } = await database.pool.query(
        'select sequence::int4, count(*)::int4 from delivery where partner_id = $1 and sequence > 10 group by sequence order by sequence',
        [partnerId],
      );
      const events = await database.pool.query('select sequence::int4 from event where partner_id = $1 and sequence > 10', [
        partnerId,
      ]);
      return [rows.map(({ sequence, count }) => [sequence, count]), events.rows.map(({ sequence }) => sequence)];
    };
    assert.deepEqual(await removeSome(), { count: 1, isPartial: true });
    assert.deepEqual((await listLeft())[1], [12, 13]);
    assert.deepEqual((await listLeft())[0], [
      [12, 2],
      [13, 1],
    ]);
    assert.deepEqual(await removeSome(), { count: 2, isPartial: false });
    assert.deepEqual(await listLeft(), [[], []]);
  });

test('old tests go all at once, however many there are and although no event is old', HANG_LIMIT, async () => {
  const { client: caller, partner, endpointId } = await withEndpoint();
  const { partnerId } = partner;
  await caller.confirm();
  await testEndpoint(tools, OWNER, { partnerId, endpointId });
  await untilDeliveries(database, partnerId, (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'));
  await database.pool.query(
    `insert into delivery select (jsonb_populate_record(d, jsonb_build_object('delivery_id', d.delivery_id || n, 'created_at', now() - interval '91 days'))).*
    from delivery d, generate_series(1, 1001) n where d.partner_id = $1 and d.sequence is null`,
    [partnerId],
  );
  assert.equal(await removeOldEvents(database, 90), 0);
  assert.equal((await listDeliveries(database.pool, partnerId, { limit: 100 })).length, 2);
});

test('only partners with something old are asked, and three statements find them', HANG_LIMIT, async () => {
  const [old, ...others] = [await withEndpoint(), await withEndpoint(), await withEndpoint()];
  for (const { client: caller, partner } of [old, ...others]) {
    await caller.confirm();
    await untilSequenced(database, partner.partnerId, 2);
  }
  const { counted, sent } = countingDatabase(database);
  // A transaction and its settings are messages of their own.
  const statements = () => [...sent].reduce((sum, [text, times]) => sum + (/\bpartner_id\b/.test(text) ? times : 0), 0);
  await removeOldEvents(database, 90);
  assert.deepEqual([await removeOldEvents(counted, 90), statements()], [0, 3]);
  await database.pool.query("update event set occurred_at = now() - interval '91 days' where partner_id = $1 and sequence = 1", [
    old.partner.partnerId,
  ]);
  sent.clear();
  // On a cluster the events of a partner go by three statements.
  assert.deepEqual([await removeOldEvents(counted, 90), statements()], [1, database.isDistributed ? 7 : 5]);
});

/** It changes tables, which on a cluster are those of all tests. */
const inOwnDatabase = { ...HANG_LIMIT, skip: database.isDistributed };

test(
  'however many partners there are, the lists of those with something old have a minute, not the time of a request',
  inOwnDatabase,
  async () => {
    const { databaseUrl } = await testDatabase();
    // One session, in which other statements have a second.
    const slow = openDatabase({ databaseUrl, poolSize: 1, auditKeys: () => database.auditKeys() });
    try {
      for (const table of ['event_counter', 'delivery'])
        await slow.pool.query(`alter table ${table} rename to quick_${table};
        create view ${table} as select quick_${table}.* from pg_sleep(1.2) left join quick_${table} on true`);
      await slow.pool.query('set statement_timeout = 1000');
      assert.equal(await removeOldEvents(slow, 90), 0);
    } finally {
      await slow.close();
    }
  },
);

test('a partner whose old events cannot be removed holds up no other, and is told of at the end', HANG_LIMIT, async () => {
  const made = [await withEndpoint(), await withEndpoint(), await withEndpoint()];
  for (const { client: caller, partner } of made) {
    await caller.confirm();
    await untilSequenced(database, partner.partnerId, 2);
  }
  const partnerIds = made.map(({ partner }) => partner.partnerId).sort();
  const held = partnerIds[1] as string;
  await database.pool.query("update event set occurred_at = now() - interval '91 days' where partner_id = any ($1)", [
    partnerIds,
  ]);
  // What is removed before a settlement closed over it leaves a note for that: here it cannot.
  await database.pool.query(
    `alter table settlement_candidate add constraint not_this_one check (partner_id <> '${held}') not valid`,
  );
  try {
    await assert.rejects(removeOldEvents(database, 90), (error: AggregateError) => {
      assert.match(error.message, /^Old events of 1 partner could not be removed\. The first: .*not_this_one/);
      assert.match(String(error.errors[0]), /not_this_one/);
      return true;
    });
  } finally {
    await database.pool.query('alter table settlement_candidate drop constraint not_this_one');
  }
  const { rows } = await database.pool.query('select distinct partner_id from event where partner_id = any ($1)', [partnerIds]);
  assert.deepEqual(rows, [{ partner_id: held }]);
});
