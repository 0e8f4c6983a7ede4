/**
 * What becomes of events that are numbered and handed over in one process, when that process dies, its COMMIT has no answer, or an operator
 * changes the endpoint or the partner meanwhile (decisions, section 7, Delivery): none is lost, and none is claimed twice.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase, type Queryable } from '../../src/store/database.ts';
import { insertEvent, listEvents, lockEventCounter } from '../../src/store/events/event.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { measureBacklog } from '../../src/store/webhooks/delivery-backlog.ts';
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts';
import { endHandOver, listEndedHandOvers } from '../../src/store/webhooks/hand-over.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { reopenDue } from '../../src/webhooks/delivery/healing.ts';
import { auditKeys } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { blocksOf } from '../support/postgres/blocks.ts';
import { connect } from '../support/postgres/connect.ts';
import { relayTools } from '../support/relay.ts';
import { handOverScene } from '../support/webhooks/hand-over-scene.ts';

const scene = await handOverScene();
const { databaseUrl, administrator, database, openSession, nextEndpoint, nextEventId, newPartner, tell, relay, handOne } = scene;
const { endHandOvers, endLeases, claimElsewhere } = scene;

async function sequencesOf(partnerId: string): Promise<number[]> {
  const events = await listEvents(database.pool, partnerId, { afterSequence: 0n, limit: 100 });
  return events.map(({ sequence }) => Number(sequence));
}

interface StoredDelivery {
  readonly endpointId: string;
  readonly lease: string;
  readonly isDue: boolean;
  readonly nextAttemptAt: Date;
}

async function deliveriesOf(partnerId: string): Promise<StoredDelivery[]> {
  const { rows } = await administrator.query(
    `select endpoint_id as "endpointId", lease::text, next_attempt_at <= now() as "isDue", next_attempt_at as "nextAttemptAt"
    from delivery where partner_id = $1 order by sequence, endpoint_id`,
    [partnerId],
  );
  return rows;
}

describe('a process that numbers events and hands them over', HANG_LIMIT, () => {
  test('dies after its COMMIT: another one claims them when the lease is over, and not before', async () => {
    const { endpoint, handed } = await handOne();
    assert.equal(handed.length, 1);
    assert.deepEqual(await claimElsewhere(endpoint), []);
    await endLeases(endpoint.partnerId);
    const claims = await claimElsewhere(endpoint);
    assert.deepEqual(
      claims.map(({ lease, attempts }) => [lease, attempts]),
      [[2n, 0]],
    );
    assert.deepEqual(await claimElsewhere(endpoint), []);
  });

  test('has no place for them: another one finds them at once', async () => {
    const endpoint = await newPartner();
    const { tools, handed } = relayTools(0);
    await tell(endpoint.partnerId);
    await relay(await openSession(), tools);
    const claims = await claimElsewhere(endpoint);
    assert.deepEqual([handed, claims.map(({ lease }) => lease)], [[], [1n]]);
  });

  test('loses its connection within the transaction: nothing has happened, and the next session numbers them once', async () => {
    const { partnerId } = await newPartner();
    const session = await openSession();
    const { rows } = await session.client.query('select pg_backend_pid() as pid');
    const { tools, handed } = relayTools(10, async () => {
      await administrator.query('select pg_terminate_backend($1, 5000)', [rows[0].pid]);
    });
    await tell(partnerId);
    await assert.rejects(relay(session, tools));
    assert.deepEqual([handed, await sequencesOf(partnerId)], [[], []]);
    const next = relayTools(10);
    await relay(await openSession(), next.tools);
    assert.deepEqual([next.handed.length, await sequencesOf(partnerId)], [1, [1]]);
  });

  test('has no answer to its COMMIT: it hands nothing over, and what was numbered is claimed when the lease is over', async () => {
    const endpoint = await newPartner();
    const { tools, handed } = relayTools(10);
    const session = await openSession();
    const { client } = session;
    const deaf = new Proxy(client, {
      get(_, name) {
        if (name !== 'query') return Reflect.get(client, name, client);
        return async (...words: [string]) => {
          const result = await client.query(...words);
          if (words[0] === 'commit') throw new Error('Connection terminated unexpectedly');
          return result;
        };
      },
    });
    await tell(endpoint.partnerId);
    await assert.rejects(relay({ ...session, client: deaf }, tools), /terminated/);
    assert.deepEqual([handed, await sequencesOf(endpoint.partnerId)], [[], [1]]);
    await endLeases(endpoint.partnerId);
    assert.equal((await claimElsewhere(endpoint)).length, 1);
    const next = relayTools(10);
    await relay(await openSession(), next.tools);
    assert.deepEqual([next.handed, await sequencesOf(endpoint.partnerId)], [[], [1]]);
  });

  test('goes by the clock of the database alone', async () => {
    const { endpoint, handed } = await handOne();
    const [{ claimed } = assert.fail()] = handed;
    const [stored] = await deliveriesOf(endpoint.partnerId);
    // The column keeps milliseconds, rounded.
    assert.ok(Math.abs(claimed.leaseEndsAt.getTime() - (stored?.nextAttemptAt.getTime() ?? 0)) <= 1);
  });
});

describe('two processes at once', HANG_LIMIT, () => {
  test('hand each delivery over once, and neither claims what the other was handed', async () => {
    const endpoints = await Promise.all(Array.from({ length: 4 }, newPartner));
    const sessions = [await openSession(), await openSession()];
    const both = [relayTools(10), relayTools(10)] as const;
    const claimed: string[] = [];
    for (let round = 0; round < 10; round++) {
      await Promise.all(endpoints.map(({ partnerId }) => tell(partnerId)));
      const claims = endpoints.map(claimElsewhere);
      await Promise.all(sessions.map((session, index) => relay(session, (both[index] as (typeof both)[0]).tools)));
      for (const deliveries of await Promise.all(claims)) claimed.push(...deliveries.map(({ deliveryId }) => deliveryId));
    }
    for (const [index, session] of sessions.entries()) await relay(session, (both[index] as (typeof both)[0]).tools);
    for (const endpoint of endpoints) for (const { deliveryId } of await claimElsewhere(endpoint)) claimed.push(deliveryId);
    const handed = both.flatMap((tools) => tools.handed.map(({ claimed: { deliveryId } }) => deliveryId));
    assert.deepEqual(
      both.flatMap(({ errors }) => errors),
      [],
    );
    assert.deepEqual([new Set([...handed, ...claimed]).size, handed.length + claimed.length], [40, 40]);
  });
});

describe('while events are numbered', HANG_LIMIT, () => {
  test('an endpoint that is added waits, and gets the events after these', async () => {
    const { partnerId } = await newPartner();
    const added = nextEndpoint(partnerId);
    let adding: Promise<unknown> | undefined;
    const { tools } = relayTools(10, async () => {
      adding ??= inTransaction(database, { lockTimeoutMs: 10_000 }, async (db) => {
        await lockEventCounter(db, partnerId);
        await insertWebhookEndpoint(db, added);
      });
      await untilSomebodyWaits();
    });
    await tell(partnerId);
    const session = await openSession();
    await relay(session, tools);
    await adding;
    assert.equal((await deliveriesOf(partnerId)).length, 1);
    await tell(partnerId);
    await relay(session, relayTools(10).tools);
    const ofAdded = (await deliveriesOf(partnerId)).filter(({ endpointId }) => endpointId === added.endpointId);
    assert.equal(ofAdded.length, 1);
  });

  for (const status of ['disabled', 'removed'])
    test(`an endpoint that is ${status} is not claimed for any more, and the events have their numbers`, async () => {
      const endpoint = await newPartner();
      const { partnerId, endpointId } = endpoint;
      const change = () =>
        administrator.query('update webhook_endpoint set status = $2 where endpoint_id = $1', [endpointId, status]);
      const { tools, handed, errors } = relayTools(10, async () => void (await change()));
      const session = await openSession();
      await tell(partnerId);
      await relay(session, tools);
      assert.equal(handed.length, 1);
      // What was claimed by then goes to a dispatcher that looks at its endpoints again; if it dies, nobody sends it.
      await endLeases(partnerId);
      assert.deepEqual(await claimElsewhere(endpoint), []);
      await tell(partnerId);
      await relay(session, tools);
      assert.deepEqual([handed.length, errors, await sequencesOf(partnerId)], [1, [], [1, 2]]);
      assert.deepEqual(await claimElsewhere(endpoint), []);
      await administrator.query("update webhook_endpoint set status = 'active' where endpoint_id = $1", [endpointId]);
      // What a removed endpoint would have got was never made.
      assert.equal((await claimElsewhere(endpoint)).length, status === 'disabled' ? 2 : 1);
    });

  test('an endpoint that differs from its sealed entry of the audit is handed nothing: its delivery is due for whoever verifies it', async () => {
    const { partnerId } = await newPartner();
    const { tools, handed } = relayTools(10);
    await tell(partnerId);
    await relay(await openSession(), { ...tools, intake: { ...tools.intake, keepVerified: async () => [] } });
    assert.deepEqual(handed, []);
    assert.deepEqual(
      (await deliveriesOf(partnerId)).map(({ lease, isDue }) => [lease, isDue]),
      [['0', true]],
    );
  });

  test('a partner that is suspended gets its events all the same', async () => {
    const { partnerId } = await newPartner();
    const { tools, handed } = relayTools(10);
    await tell(partnerId);
    await administrator.query('update partner set suspended_at = now() where partner_id = $1', [partnerId]);
    await relay(await openSession(), tools);
    assert.equal(handed.length, 1);
  });

  test('a body that cannot be made is told, and delays no other event', async () => {
    const { partnerId } = await newPartner();
    const { tools, handed, errors } = relayTools(10);
    const about = { eventType: 'impact.transaction.confirmed', correlationId: null, data: null };
    await insertEvent(database.pool, { partnerId, eventId: nextEventId(), subjectId: 'txn_unknown', ...about });
    const sound = await tell(partnerId);
    await relay(await openSession(), tools);
    assert.deepEqual([handed.map(({ claimed }) => claimed.eventId), errors.length], [[sound], 1]);
    assert.deepEqual(await sequencesOf(partnerId), [1, 2]);
    assert.deepEqual(
      (await deliveriesOf(partnerId)).map(({ lease }) => lease),
      ['0', '1'],
    );
  });
});

async function untilSomebodyWaits(): Promise<void> {
  await waitFor('session that waits for a lock', async () => {
    const { rows } = await administrator.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  });
}

describe('an endpoint that nobody watches', HANG_LIMIT, () => {
  test('is watched again while a delivery waits for it, due or not: after a long stop, and beside an older release', async () => {
    const [waiting, idle] = [await newPartner(), await newPartner()];
    const { tools, handed, errors } = relayTools(10);
    for (const { partnerId } of [waiting, idle]) await tell(partnerId);
    await relay(await openSession(), tools);
    assert.deepEqual([handed.length, errors], [2, []]);
    await administrator.query("update delivery set status = 'delivered', ended_at = now() where partner_id = $1", [
      idle.partnerId,
    ]);
    await administrator.query('delete from endpoint_watch');
    // A retry of tomorrow.
    await administrator.query(
      "update delivery set status = 'waiting', next_attempt_at = now() + interval '1 day' where partner_id = $1",
      [waiting.partnerId],
    );
    await reopenDue(database, new NodeReader(database));
    const { rows } = await administrator.query(
      "select endpoint_id from endpoint_watch where watched_until > now() + interval '150 s' and partner_id = any ($1)",
      [[waiting.partnerId, idle.partnerId]],
    );
    assert.deepEqual(rows, [{ endpoint_id: waiting.endpointId }]);
    await endLeases(waiting.partnerId);
    assert.equal((await claimElsewhere(waiting)).length, 1);
  });

  test('is watched again although somebody holds the row of another one whose deliveries were not expected', async () => {
    const [held, waiting] = [await newPartner(), await newPartner()];
    const { tools } = relayTools(10);
    for (const { partnerId } of [held, waiting]) await tell(partnerId);
    await relay(await openSession(), tools);
    await administrator.query("update delivery set status = 'waiting', next_attempt_at = now() where partner_id = any ($1)", [
      [held.partnerId, waiting.partnerId],
    ]);
    await administrator.query("update endpoint_health set due_from = now() + interval '1 day' where partner_id = $1", [
      held.partnerId,
    ]);
    await administrator.query('delete from endpoint_watch');
    // A session of somebody else, whom no time-out of the service ends.
    const holder = await connect(databaseUrl);
    await holder.query('begin');
    await holder.query('select from endpoint_health where partner_id = $1 for update', [held.partnerId]);
    await assert.rejects(reopenDue(database, new NodeReader(database)), /lock timeout/);
    await holder.query('rollback');
    const { rows } = await administrator.query('select partner_id from endpoint_watch where partner_id = any ($1)', [
      [held.partnerId, waiting.partnerId],
    ]);
    assert.ok(rows.some(({ partner_id }) => partner_id === waiting.partnerId));
    await reopenDue(database, new NodeReader(database));
    assert.equal((await claimElsewhere(held)).length, 1);
  });
});

describe('what a process has claimed and not sent', HANG_LIMIT, () => {
  test('is listed as waiting, and what has ended is not read for it', async () => {
    const { partnerId, endpointId } = await newPartner();
    await administrator.query(
      `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, sequence, event_type, trigger, status, attempts_left,
        next_attempt_at, created_at, ended_at)
      select $1, 'dlv_old' || lpad(n::text, 23, '0') || '.x', $2, 'evt_old' || n, n, 'settlement.created', 'event', 'handed_over', 0, now(), now(), now()
      from generate_series(1, 20000) n`,
      [partnerId, endpointId],
    );
    await tell(partnerId);
    await relay(await openSession(), relayTools(10).tools);
    const sent: { text: string; values: unknown[] }[] = [];
    const catching = {
      query(statement: { text: string; values: unknown[] }) {
        sent.push(statement);
        return administrator.query(statement);
      },
    } as unknown as Queryable;
    const found = await listDeliveries(catching, partnerId, { endpointId, status: 'waiting', limit: 51 });
    assert.deepEqual(
      found.map(({ status, attempts }) => [status, attempts]),
      [['waiting', 0]],
    );
    const [{ text, values } = { text: '', values: [] }] = sent;
    const { rows } = await administrator.query({ text: `explain (analyze, buffers, format json) ${text}`, values });
    const plan = rows[0]['QUERY PLAN'][0].Plan;
    // Those of 20,000 rows are more than 200.
    assert.ok(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] < 100, JSON.stringify(plan['Shared Hit Blocks']));
    assert.deepEqual(await listDeliveries(database.pool, partnerId, { endpointId, status: 'held', limit: 51 }), []);
  });

  test('is found by its event, however many endpoints its partner had', async () => {
    const { partnerId } = await newPartner();
    await tell(partnerId);
    await relay(await openSession(), relayTools(10).tools);
    await administrator.query(
      `insert into webhook_endpoint select (jsonb_populate_record(e, jsonb_build_object('endpoint_id', e.endpoint_id || n, 'status', 'removed'))).*
      from webhook_endpoint e, generate_series(1, 5000) n where e.partner_id = $1`,
      [partnerId],
    );
    await administrator.query(
      "update delivery_hand_over set lease_ends_at = now() - interval '1 s' where $1 = any (partner_ids)",
      [partnerId],
    );
    const ended = await listEndedHandOvers(administrator, { leaseEndsAt: new Date(0), handOverId: '' }, 10);
    const handOver = ended.find(({ partnerIds }) => partnerIds.includes(partnerId)) ?? assert.fail();
    // Each of 5,000 look-ups would read a page or more; to read all endpoints once is 200.
    const [few, many] = [1_000, 5_000];
    for (const [who, work] of [
      ['lists it', (db: Queryable) => listDeliveries(db, partnerId, { status: 'waiting', limit: 51 })],
      ['measures it', (db: Queryable) => measureBacklog(db, { isDistributed: false })],
      ['releases it', (db: Queryable) => endHandOver(db, handOver)],
    ] as const) {
      const pages = await blocksOf(administrator, work);
      assert.ok(pages < few, `whoever ${who} reads ${pages} pages of ${many} endpoints`);
    }
    await endHandOvers(assert.ifError);
    const { rows } = await administrator.query('select status from delivery where partner_id = $1', [partnerId]);
    assert.deepEqual(rows, [{ status: 'waiting' }]);
  });

  test('is due when the lease has ended, although those of another partner cannot be changed, more than are listed at once', async () => {
    const [stuck, sound] = [await newPartner(), await newPartner()];
    for (const { partnerId } of [stuck, sound]) {
      await tell(partnerId);
      await relay(await openSession(), relayTools(10).tools);
    }
    await administrator.query(
      `create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
      create trigger refuse before update on delivery for each row when (old.partner_id = '${stuck.partnerId}') execute function refuse()`,
    );
    const endLease = (partnerId: string, ago: string) =>
      administrator.query(
        "update delivery_hand_over set lease_ends_at = date_trunc('milliseconds', now()) - $2::interval where $1 = any (partner_ids)",
        [partnerId, ago],
      );
    await endLease(sound.partnerId, '1 s');
    await endLease(stuck.partnerId, '2 s');
    await administrator.query(
      `insert into delivery_hand_over select lease_ends_at, hand_over_id || n, partner_ids, first_sequences, last_sequences
      from delivery_hand_over cross join generate_series(1, 200) n where $1 = any (partner_ids)`,
      [stuck.partnerId],
    );
    const errors: unknown[] = [];
    await endHandOvers((error) => errors.push(error));
    // The partner is tried once, and not once for each of its hand-overs.
    assert.deepEqual([errors.length, String(errors).includes('refused')], [1, true]);
    assert.equal((await claimElsewhere(sound)).length, 1);
    await administrator.query('drop function refuse cascade');
    await endHandOvers(assert.ifError);
    assert.equal((await claimElsewhere(stuck)).length, 1);
  });

  test('is due when the lease has ended, although those of another partner in the same hand-over cannot be changed', async () => {
    const made = [await newPartner(), await newPartner()];
    for (const { partnerId } of made) await tell(partnerId);
    await relay(await openSession(), relayTools(10).tools);
    const ids = made.map(({ partnerId }) => partnerId);
    const { rows } = await administrator.query('select partner_ids from delivery_hand_over where partner_ids @> $1', [ids]);
    assert.equal(rows.length, 1);
    const [stuck, sound] = (rows[0].partner_ids as string[]).map((id) => made.find(({ partnerId }) => partnerId === id));
    assert.ok(stuck && sound);
    await administrator.query(
      `create function refuse() returns trigger language plpgsql as 'begin raise exception ''refused''; end';
      create trigger refuse before update on delivery for each row when (old.partner_id = '${stuck.partnerId}') execute function refuse()`,
    );
    await administrator.query("update delivery_hand_over set lease_ends_at = now() - interval '1 s' where partner_ids @> $1", [
      ids,
    ]);
    const [handOver = assert.fail()] = await listEndedHandOvers(administrator, { leaseEndsAt: new Date(0), handOverId: '' }, 1);
    const stopped = await endHandOver(administrator, handOver, { signal: AbortSignal.abort() });
    assert.deepEqual([stopped.partnerIds, [...stopped.failures]], [[], []]);
    const errors: unknown[] = [];
    await endHandOvers((error) => errors.push(error));
    assert.deepEqual([errors.length, String(errors).includes('refused')], [1, true]);
    assert.equal((await claimElsewhere(sound)).length, 1);
    await administrator.query('drop function refuse cascade');
    await endHandOvers(assert.ifError);
    assert.deepEqual([(await claimElsewhere(stuck)).length, (await claimElsewhere(sound)).length], [1, 0]);
    const left = await administrator.query('select from delivery_hand_over where partner_ids && $1', [ids]);
    assert.equal(left.rows.length, 0);
  });
});

test('events of one who cannot get numbers are no reason to look without a pause, however many they are', {
  ...HANG_LIMIT,
}, async () => {
  const [stuck, sound] = [await newPartner(), await newPartner()];
  await tell(stuck.partnerId);
  const session = await openSession();
  const { tools, errors } = relayTools(10);
  await relay(session, tools);
  // Each of them has the id of an event that is there already.
  const [first] = await listEvents(database.pool, stuck.partnerId, { afterSequence: 0n, limit: 1 });
  await administrator.query(
    `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
    select $1, $2, 'settlement.created', 'stl_1', now() from generate_series(1, 1500)`,
    [stuck.partnerId, first?.eventId],
  );
  await tell(sound.partnerId);
  for (let round = 0; round < 3; round++) assert.equal((await relay(session, tools)).hasMore, false);
  assert.deepEqual(await sequencesOf(sound.partnerId), [1]);
  assert.ok(errors.length > 0);
  await administrator.query('delete from event_outbox where partner_id = $1', [stuck.partnerId]);
});

test('a process is told of the events that it has committed, and of nothing else', async () => {
  const { partnerId } = await newPartner();
  const own = openDatabase({ databaseUrl, poolSize: 1, auditKeys });
  let told = 0;
  own.committedEvents.listen(() => told++);
  const about = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: null };
  const write = (end: () => void) =>
    inTransaction(own, { lockTimeoutMs: 1_000 }, async (db) => {
      await insertEvent(db, { partnerId, eventId: nextEventId(), ...about });
      assert.equal(told, before);
      end();
    });
  let before = 0;
  await write(() => {});
  assert.equal(told, 1);
  before = 1;
  await assert.rejects(
    write(() => {
      throw new Error('It is rolled back.');
    }),
  );
  // The same connection.
  await inTransaction(own, { lockTimeoutMs: 1_000 }, async (db) => void (await db.query('select 1')));
  assert.equal(told, 1);
  await own.close();
});
