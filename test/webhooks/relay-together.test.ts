/** Events of several partners get their numbers in one transaction, and each partner's are as if they were alone (decisions, section 7, Envelope). */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type pg from 'pg';
import { unpackBody } from '../../src/domain/events/packed-body.ts';
import { type WrittenEvent, writeEventBodies } from '../../src/operations/events/event-bodies.ts';
import type { ContributionRecord } from '../../src/store/contributions/contribution.ts';
import type { Connection } from '../../src/store/database.ts';
import { assignSequencesOfSeveral } from '../../src/store/events/assign-sequences.ts';
import { type EventRecord, insertEvent, insertEventCounter, listEvents } from '../../src/store/events/event.ts';
import { WHOLE_OUTBOX } from '../../src/store/events/event-outbox.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { beginRelaySession, openRelay, relayOnce } from '../../src/webhooks/relay/relay.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { insertOldPartner } from '../support/records.ts';
import { relayDatabase, relayTools } from '../support/relay.ts';

const { databaseUrl, pool: administrator } = await testDatabase();
const { database, connect, openSession } = relayDatabase(databaseUrl, 16);

let made = 0;

async function newPartner(hasEndpoint = true, place = database): Promise<string> {
  const { pool } = place;
  const { partnerId } = await insertOldPartner(place);
  await insertEventCounter(pool, partnerId);
  const endpoint = { partnerId, endpointId: `wep_together-${String(++made).padStart(8, '0')}`, url: 'https://example.com/' };
  if (hasEndpoint) await insertWebhookEndpoint(pool, { ...endpoint, eventTypes: [], secretSealed: 'none' });
  return partnerId;
}

async function tell(partnerId: string, count: number, { pool } = database): Promise<void> {
  for (let each = 0; each < count; each++) {
    const about = { eventType: 'settlement.created', subjectId: 'stl_1', correlationId: null, data: '{"settlement_id":"stl_1"}' };
    await insertEvent(pool, { partnerId, eventId: `evt_together-${++made}`, ...about });
  }
}

/** In the order of their ids, as of other events. */
async function tellMany(partnerId: string, count: number): Promise<void> {
  await administrator.query(
    `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
    select $1, 'evt_together-' || number, 'settlement.created', 'stl_1', now() from generate_series($2::int4, $3::int4) as number`,
    [partnerId, made + 1, made + count],
  );
  made += count;
}

/** The statement that reads every partner. */
const OF_EVERY_PARTNER = 'list_partners_with_unsequenced_events';

/** A relay, and how often it sends each statement. */
async function countingRelay() {
  const { counted, sent } = countingDatabase(database);
  const client = await counted.pool.connect();
  after(() => client.release(true));
  const session = beginRelaySession(client as Connection);
  const { tools, errors } = relayTools(10);
  return { sent, errors, relay: () => relayOnce(database, session, tools) };
}

function storedEventsOf(partnerId: string): Promise<EventRecord[]> {
  return listEvents(database.pool, partnerId, { afterSequence: 0n, limit: 5_000 });
}

async function eventsOf(partnerId: string): Promise<WrittenEvent[]> {
  return writeEventBodies(database.pool, 'sandbox', await storedEventsOf(partnerId));
}

function assertGapless(events: readonly Pick<EventRecord, 'sequence'>[], count: number): void {
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    Array.from({ length: count }, (_, index) => BigInt(index + 1)),
  );
}

async function assertInOrder(partnerId: string, count: number) {
  const events = await storedEventsOf(partnerId);
  assertGapless(events, count);
  const order = events.map(({ eventId }) => Number(eventId.split('-').at(-1)));
  assert.deepEqual(
    order.toSorted((a, b) => a - b),
    order,
  );
  return events;
}

describe('events of several partners together', HANG_LIMIT, () => {
  test('have numbers without gaps, in the order of their making, and bodies where an endpoint wants them', async () => {
    const [one, other, quiet] = [await newPartner(), await newPartner(), await newPartner(false)];
    const { tools, handed, errors } = relayTools(2);
    const session = await openSession();
    for (let round = 0; round < 3; round++) {
      for (const partnerId of [one, other, one, quiet]) await tell(partnerId, 1);
      await relayOnce(database, session, tools);
    }
    assert.deepEqual(errors, []);
    for (const { packedBody, sequence } of [...(await assertInOrder(one, 6)), ...(await assertInOrder(other, 3))])
      assert.equal(JSON.parse(unpackBody(packedBody ?? Buffer.of()).toString()).sequence, Number(sequence));
    for (const { bodyValues, packedBody, body } of await assertInOrder(quiet, 3))
      assert.deepEqual([bodyValues, packedBody, body], [null, null, null]);
    // What is handed over is what is stored, and it is claimed.
    const stored = new Map([...(await eventsOf(one)), ...(await eventsOf(other))].map(({ eventId, body }) => [eventId, body]));
    assert.equal(handed.length, 9);
    for (const { claimed, content } of handed) assert.deepEqual(content.body, stored.get(claimed.eventId));
    const { rows } = await administrator.query(
      'select lease, next_attempt_at > now() as "isClaimed" from delivery where partner_id = $1',
      [one],
    );
    assert.ok(rows.length === 6 && rows.every(({ lease, isClaimed }) => String(lease) === '1' && isClaimed));
  });

  test('of partners without endpoints they are numbered in one statement; of one whose counter is held they wait', async () => {
    const [one, other, held] = [await newPartner(false), await newPartner(false), await newPartner(false)];
    const { tools, handed, errors } = relayTools(10);
    const session = await openSession();
    const holder = await connect();
    await holder.query('begin');
    await holder.query('select from event_counter where partner_id = $1 for update', [held]);
    for (let round = 0; round < 3; round++) {
      for (const partnerId of [one, held, other, one]) await tell(partnerId, 1);
      await relayOnce(database, session, tools);
    }
    await assertInOrder(one, 6);
    await assertInOrder(other, 3);
    assert.equal((await eventsOf(held)).length, 0);
    await holder.query('rollback');
    await relayOnce(database, session, tools);
    await assertInOrder(held, 3);
    assert.deepEqual([errors, handed], [[], []]);
  });

  test('a contribution is remembered for them only while its partner has an endpoint', async () => {
    const [heard, quiet] = [await newPartner(), await newPartner(false)];
    const { tools, errors } = relayTools(2);
    const session = await openSession();
    let confirmed = 0;
    const isRemembered = (partnerId: string) => {
      const transactionId = `txn_remembered-${++confirmed}`;
      tools.recent.add({ partnerId, contribution: { transactionId, status: 'confirmed' } } as ContributionRecord);
      return tools.recent.take(transactionId) !== undefined;
    };
    const relayBoth = async () => {
      for (const partnerId of [heard, quiet]) await tell(partnerId, 1);
      await relayOnce(database, session, tools);
      return [isRemembered(heard), isRemembered(quiet)];
    };
    assert.deepEqual([isRemembered(heard), isRemembered(quiet)], [true, true]);
    assert.deepEqual(await relayBoth(), [true, false]);
    const endpoint = {
      partnerId: quiet,
      endpointId: `wep_together-${String(++made).padStart(8, '0')}`,
      url: 'https://example.com/',
    };
    await insertWebhookEndpoint(database.pool, { ...endpoint, eventTypes: [], secretSealed: 'none' });
    assert.deepEqual(await relayBoth(), [true, true]);
    assert.deepEqual(errors, []);
  });

  test('an endpoint that is entered after its partner was found without one gets its deliveries', async () => {
    const [heard, withoutEndpoint] = [await newPartner(), await newPartner(false)];
    for (const partnerId of [heard, withoutEndpoint]) await tell(partnerId, 2);
    const batch = { limit: 100, attemptsMax: 3 };
    const assigned = await assignSequencesOfSeveral(database.pool, WHOLE_OUTBOX, [heard, withoutEndpoint], batch);
    assert.deepEqual(assigned, { ...assigned, sequenced: 4, deliveries: 2, deliveredIds: [heard], isAll: true });
    assert.deepEqual(assigned.heldIds.toSorted(), [heard, withoutEndpoint].toSorted());
    for (const partnerId of [heard, withoutEndpoint]) await assertInOrder(partnerId, 2);
    const { rows } = await administrator.query(
      'select count(*)::int4 as due from delivery where partner_id = $1 and lease = 0 and next_attempt_at <= now()',
      [heard],
    );
    assert.equal(rows[0].due, 2);
  });

  test('of a disabled endpoint have their bodies too, and are not sent', async () => {
    const partnerId = await newPartner();
    await administrator.query("update webhook_endpoint set status = 'disabled' where partner_id = $1", [partnerId]);
    const { tools, handed, errors } = relayTools(10);
    const session = await openSession();
    await tell(partnerId, 2);
    await relayOnce(database, session, tools);
    const events = await assertInOrder(partnerId, 2);
    assert.ok(events.every(({ packedBody }) => packedBody !== null));
    assert.deepEqual([errors, handed], [[], []]);
  });

  test('beyond what the dispatcher takes their deliveries are due for all', async () => {
    const partnerId = await newPartner();
    const { tools, handed } = relayTools(2);
    await tell(partnerId, 5);
    const { deliveries } = await relayOnce(database, await openSession(), tools);
    assert.deepEqual([handed.length, deliveries], [2, 3]);
    const { rows } = await administrator.query(
      'select count(*)::int4 as due from delivery where partner_id = $1 and lease = 0 and next_attempt_at <= now()',
      [partnerId],
    );
    assert.equal(rows[0].due, 3);
  });

  test('one whose counter is held, and one with an event that cannot be stored, hold up no other', async () => {
    const [held, broken, sound] = [await newPartner(), await newPartner(), await newPartner()];
    const { tools, errors } = relayTools(10);
    const session = await openSession();
    await tell(broken, 1);
    await relayOnce(database, session, tools);
    const [first] = await eventsOf(broken);
    // Its id is there already.
    await administrator.query(
      `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at) values ($1, $2, 'settlement.created', 'stl_1', now())`,
      [broken, first?.eventId],
    );
    for (const partnerId of [held, sound]) await tell(partnerId, 2);
    const holder = await connect();
    await holder.query('begin');
    await holder.query('select from event_counter where partner_id = $1 for update', [held]);
    await relayOnce(database, session, tools);
    assertGapless(await eventsOf(sound), 2);
    assert.equal((await eventsOf(held)).length, 0);
    assert.ok(errors.length > 0);
    await holder.query('rollback');
    await tell(sound, 1);
    await relayOnce(database, session, tools);
    assertGapless(await eventsOf(held), 2);
    assertGapless(await eventsOf(sound), 3);
    await administrator.query('delete from event_outbox where partner_id = $1', [broken]);
  });

  test('one with more than the transactions of a round take makes nobody wait, and all get their numbers', async () => {
    const [large, small] = [await newPartner(false), await newPartner(false)];
    const { tools } = relayTools(10);
    await administrator.query(
      `insert into event_outbox (partner_id, event_id, event_type, subject_id, occurred_at)
      select $1, 'evt_large-' || number, 'settlement.created', 'stl_1', now() from generate_series(1, 4300) as number`,
      [large],
    );
    await tell(small, 1);
    const session = await openSession();
    const { hasMore } = await relayOnce(database, session, tools);
    assert.equal(hasMore, true);
    assertGapless(await eventsOf(small), 1);
    for (let more = true; more; ) more = (await relayOnce(database, session, tools)).hasMore;
    assertGapless(await storedEventsOf(large), 4_300);
  });

  test('of more partners than one transaction takes have their numbers together, without a look at every partner', async () => {
    const partnerIds: string[] = [];
    for (let count = 0; count < 700; count++) partnerIds.push(await newPartner(count % 2 === 0));
    for (const partnerId of partnerIds) await tell(partnerId, 1);
    const { sent, relay, errors } = await countingRelay();
    await relay();
    assert.deepEqual([errors, sent.get(OF_EVERY_PARTNER), sent.get('assign_sequences')], [[], undefined, undefined]);
    for (const partnerId of partnerIds) assertGapless(await storedEventsOf(partnerId), 1);
  });

  test('beyond a backlog are found without a look at every partner, and each partner has its own in order', async () => {
    const [large, other, small] = [await newPartner(), await newPartner(false), await newPartner()];
    await tellMany(large, 2_500);
    await tellMany(other, 1_300);
    await tell(small, 1);
    const { sent, relay, errors } = await countingRelay();
    const { hasMore } = await relay();
    assertGapless(await storedEventsOf(small), 1);
    for (let more = hasMore; more; ) more = (await relay()).hasMore;
    assert.deepEqual([errors, sent.get(OF_EVERY_PARTNER)], [[], undefined]);
    await assertInOrder(large, 2_500);
    await assertInOrder(other, 1_300);
  });

  test('beyond ten thousand of another have theirs in the same round too', async () => {
    const [large, small] = [await newPartner(false), await newPartner()];
    await tellMany(large, 14_100);
    await tell(small, 1);
    const { sent, relay, errors } = await countingRelay();
    await relay();
    assertGapless(await storedEventsOf(small), 1);
    assert.deepEqual([errors, sent.get(OF_EVERY_PARTNER)], [[], 1]);
    await administrator.query('delete from event_outbox where partner_id = $1', [large]);
  });

  test('behind those of a partner whose counter is held are found without a look at every partner', async () => {
    const [held, one, other] = [await newPartner(), await newPartner(), await newPartner(false)];
    const { sent, relay, errors } = await countingRelay();
    const holder = await connect();
    await holder.query('begin');
    await holder.query('select from event_counter where partner_id = $1 for update', [held]);
    await tellMany(held, 600);
    for (let round = 1; round <= 3; round++) {
      for (const partnerId of [one, held, other, one]) await tell(partnerId, 1);
      await relay();
      await assertInOrder(one, 2 * round);
      await assertInOrder(other, round);
    }
    assert.equal((await storedEventsOf(held)).length, 0);
    await holder.query('rollback');
    await relay();
    await assertInOrder(held, 603);
    assert.deepEqual([errors, sent.get(OF_EVERY_PARTNER)], [[], undefined]);
  });

  test('two relays at once number each event once', async () => {
    const partnerIds = await Promise.all(Array.from({ length: 4 }, () => newPartner(false)));
    const { tools, errors } = relayTools(10);
    const sessions = [await openSession(), await openSession()];
    for (let round = 0; round < 10; round++) {
      await Promise.all(partnerIds.map((partnerId) => tell(partnerId, 3)));
      await Promise.all(sessions.map((session) => relayOnce(database, session, tools)));
    }
    for (const session of sessions) await relayOnce(database, session, tools);
    for (const session of sessions) await relayOnce(database, session, tools);
    assert.deepEqual(errors, []);
    for (const partnerId of partnerIds) assertGapless(await eventsOf(partnerId), 30);
  });

  test('get their numbers again after the database was read-only, although the session of that time is open', async () => {
    const { name, databaseUrl, pool } = await testDatabase();
    const writable = relayDatabase(databaseUrl, 2).database;
    const partners: string[] = [];
    for (const hasEndpoint of [true, false]) partners.push(await newPartner(hasEndpoint, writable));
    const setReadOnly = (value: string) => pool.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    await setReadOnly('on');
    const { tools, errors } = relayTools(2);
    const stop = openRelay({ ...tools, database: relayDatabase(databaseUrl, 1).database, onDeliveries: () => {} });
    try {
      for (const partnerId of partners) await tell(partnerId, 1, writable);
      await waitFor('refusal for both', () => errors.length >= 2);
      await setReadOnly('off');
      for (const partnerId of partners)
        await waitFor('number', async () => {
          const [event] = await listEvents(writable.pool, partnerId, { afterSequence: 0n, limit: 1 });
          return event;
        });
    } finally {
      await stop();
    }
    assert.deepEqual(new Set(errors.map((error) => (error as pg.DatabaseError).code)), new Set(['25006']));
  });
});
