/** What operators have sent: deliveries again, and test events (decisions, section 7, Delivery). */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { BREAKER_MAX_MS } from '../../src/domain/webhooks/endpoint-health.ts';
import { disableOperator } from '../../src/operations/access/manage-operator.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { listAuditEntries } from '../../src/store/audit/audit-entry.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../src/store/transaction.ts';
import { claimDeliveries } from '../../src/store/webhooks/delivery.ts';
import { listDeliveries } from '../../src/store/webhooks/delivery-log.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { getDelivery, recoverExhausted, replayMissing, resend } from '../../src/webhooks/endpoints/manage-delivery.ts';
import { removeEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { testEndpoint } from '../../src/webhooks/endpoints/test-endpoint.ts';
import { enrolled, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { countingDatabase } from '../support/postgres/counting-database.ts';
import { assertPublished } from '../support/published.ts';
import { testService } from '../support/service.ts';
import { type Arrived, expectedSignature, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, makeDue, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
const withEndpoint = () => newEndpoint(service, tools);

const ALWAYS = new Date(0);

/** All attempts but the last are spent, without waiting four days for it. */
async function spendAttempts(partnerId: string): Promise<void> {
  await database.pool.query("update delivery set attempts_left = 1 where partner_id = $1 and status = 'waiting'", [partnerId]);
  await makeDue(database, partnerId);
}

describe('sent again', HANG_LIMIT, () => {
  test('a delivery that succeeded: the same bytes under the same event id, and both attempts are in the log', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    await caller.confirm();
    const [delivery] = await untilDeliveries(database, partner.partnerId, ([first]) => first?.status === 'delivered');
    await resend(database, OWNER, { partnerId: partner.partnerId, deliveryId: delivery?.deliveryId as string });
    const [first, second] = (await receiver.until(2)) as [Arrived, Arrived];
    assert.deepEqual(second.body, first.body);
    await untilDeliveries(database, partner.partnerId, ([again]) => again?.attempts === 2);
    const { log, status } = await getDelivery(database, partner.partnerId, delivery?.deliveryId as string);
    assert.deepEqual([status, log.map(({ trigger }) => trigger)], ['delivered', ['event', 'resend']]);
  });

  test('what was given up, since a time, with all its attempts anew', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    const { partnerId } = partner;
    receiver.putOff();
    await Promise.all(Array.from({ length: 3 }, () => caller.confirm()));
    await untilDeliveries(database, partnerId, (all) => all.length === 3 && all.every(({ attempts }) => attempts === 1));
    await spendAttempts(partnerId);
    const spent = await untilDeliveries(database, partnerId, (all) => all.every(({ status }) => status === 'exhausted'));
    const later = new Date(Math.max(...spent.map(({ endedAt }) => Number(endedAt))) + 1);
    // When it happened says nothing of when it was given up.
    await database.pool.query("update delivery set created_at = now() - interval '3 days' where partner_id = $1", [partnerId]);
    const earlier = new Date(Math.min(...spent.map(({ endedAt }) => Number(endedAt))));
    assert.equal(await recoverExhausted(database, OWNER, { partnerId, endpointId, since: later }), 0);
    assert.equal(await recoverExhausted(database, OWNER, { partnerId, endpointId, since: earlier }), 3);
    await untilDeliveries(database, partnerId, (all) =>
      all.every(({ attempts, status }) => attempts === 3 && status === 'waiting'),
    );
    receiver.answerWith(200);
    await makeDue(database, partnerId);
    await untilDeliveries(database, partnerId, (all) => all.every(({ status }) => status === 'delivered'));
  });

  test('at once, although the circuit of the endpoint is open: one delivery, and what was given up', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    const { partnerId } = partner;
    const openCircuit = async () => {
      // No longer than the service opens one: it closes what a clock that was set opened for longer.
      const open = "update endpoint_health set breaker_open_until = now() + $2 * interval '1 millisecond' where partner_id = $1";
      assert.equal((await database.pool.query(open, [partnerId, BREAKER_MAX_MS])).rowCount, 1);
    };
    const untilDelivered = (attempts: number) =>
      untilDeliveries(database, partnerId, ([first]) => first?.status === 'delivered' && first.attempts === attempts);
    await caller.confirm();
    const [delivery] = await untilDelivered(1);
    await openCircuit();
    await resend(database, OWNER, { partnerId, deliveryId: delivery?.deliveryId as string });
    await untilDelivered(2);
    await database.pool.query("update delivery set status = 'exhausted', ended_at = now() where partner_id = $1", [partnerId]);
    await openCircuit();
    assert.equal(await recoverExhausted(database, OWNER, { partnerId, endpointId, since: ALWAYS }), 1);
    await untilDelivered(3);
    assert.equal(receiver.arrived.length, 3);
  });

  test('everything for a new endpoint, of the kinds that it wants, and each once', async () => {
    const { client: caller, partner } = await withEndpoint();
    const { partnerId } = partner;
    for (let count = 0; count < 3; count++) await caller.confirm();
    await untilDeliveries(database, partnerId, ({ length }) => length === 3);
    const [wanting, indifferent] = [await WebhookReceiver.open(), await WebhookReceiver.open()];
    const { endpointId } = await addEndpoint(tools, OWNER, { partnerId, url: wanting.url, eventTypes: [] });
    const other = await addEndpoint(tools, OWNER, { partnerId, url: indifferent.url, eventTypes: ['settlement.closed'] });
    assert.equal((await replayMissing(database, OWNER, { partnerId, endpointId, since: ALWAYS })).count, 4);
    assert.equal((await replayMissing(database, OWNER, { partnerId, endpointId, since: ALWAYS })).count, 0);
    assert.equal((await replayMissing(database, OWNER, { partnerId, endpointId: other.endpointId, since: ALWAYS })).count, 0);
    const sequences = (await wanting.until(4)).map(({ event }) => event.sequence).sort();
    assert.deepEqual([sequences, indifferent.arrived.length], [[1, 2, 3, 4], 0]);
  });

  test('of the events since a time, without reading those from long before; and nothing is written where nothing is missing', async () => {
    const { client: caller, partner, endpointId } = await withEndpoint();
    const { partnerId } = partner;
    for (let count = 0; count < 3; count++) await caller.confirm();
    // A delivery that waits is removed when there is no event of its sequence.
    await untilDeliveries(database, partnerId, (all) => all.length === 3 && all.every(({ status }) => status === 'delivered'));
    const { pool } = database;
    // Between them are gaps, as of removed events. The transaction of the last old one began long before it wrote.
    await pool.query('update event set sequence = sequence + 6000 where partner_id = $1', [partnerId]);
    await pool.query('update event_counter set last_sequence = last_sequence + 6000 where partner_id = $1', [partnerId]);
    await pool.query(
      `insert into event (partner_id, sequence, event_id, event_type, subject_id, occurred_at)
      select $1, 10 + n, 'evt_old' || $1 || n, 'settlement.created', 'stl_1',
        now() - case n when 4990 then interval '20 hours' when 4989 then interval '10 minutes' else interval '2 days' end
      from generate_series(1, 4990) n`,
      [partnerId],
    );
    const replay = async (since: Date) => {
      const { counted, sent } = countingDatabase(database);
      const { count } = await replayMissing(counted, OWNER, { partnerId, endpointId, since });
      return [count, sent.get('insert_replayed_deliveries'), sent.get('watch_endpoints') ?? 0];
    };
    const ago = (ms: number) => new Date(Date.now() - ms);
    const isWatched = database.isDistributed ? 0 : 1;
    // One is from before the endpoint.
    assert.deepEqual(await replay(ago(60_000)), [1, 2, isWatched]);
    assert.deepEqual(await replay(ago(60_000)), [0, 2, 0]);
    assert.deepEqual(await replay(ago(1_800_000)), [1, 2, isWatched]);
    assert.deepEqual(await replay(ALWAYS), [4_989, 6, 5 * isWatched]);
  });

  test('by an operator who is disabled after the first thousand: no more of them, and the refusal does not deny those', async () => {
    const { client: caller, partner, endpointId } = await withEndpoint();
    const { partnerId } = partner;
    await caller.confirm();
    await untilDeliveries(database, partnerId, ([first]) => first?.status === 'delivered');
    const { pool } = database;
    await pool.query("update delivery set status = 'exhausted', ended_at = now() where partner_id = $1", [partnerId]);
    await pool.query(
      `insert into delivery select (jsonb_populate_record(d, jsonb_build_object('delivery_id', d.delivery_id || n))).*
       from delivery d cross join generate_series(1, 1000) n where partner_id = $1`,
      [partnerId],
    );
    const [late] = await enrolled(database, 'operator');
    const recovered = Promise.withResolvers<void>();
    const refused = await inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const last = 'select from delivery where partner_id = $1 order by delivery_id desc limit 1 for update';
      await db.query(last, [partnerId]);
      const recovery = { partnerId, endpointId, since: ALWAYS, onProgress: () => recovered.resolve() };
      const refusal = assert.rejects(recoverExhausted(database, late, recovery), {
        code: 'forbidden',
        message: `The operator ${late.operatorId} was disabled a moment ago. Nothing more was changed.`,
      });
      await recovered.promise;
      await disableOperator(database, OWNER, late.operatorId);
      return { refusal };
    });
    await refused.refusal;
    const left = await pool.query("select from delivery where partner_id = $1 and status = 'exhausted'", [partnerId]);
    assert.equal(left.rowCount, 1);
  });

  test('not to an endpoint that was removed, and nothing of another partner', async () => {
    const [mine, other] = [await withEndpoint(), await withEndpoint()];
    await mine.client.confirm();
    const [delivery] = await untilDeliveries(database, mine.partner.partnerId, ([first]) => first?.status === 'delivered');
    const { deliveryId } = delivery as { deliveryId: string };
    await assert.rejects(resend(database, OWNER, { partnerId: other.partner.partnerId, deliveryId }), /has no delivery/);
    const foreign = { partnerId: other.partner.partnerId, endpointId: mine.endpointId, since: ALWAYS };
    await assert.rejects(recoverExhausted(database, OWNER, foreign), /has no endpoint/);
    await assert.rejects(replayMissing(database, OWNER, foreign), /has no endpoint/);
    await removeEndpoint(database, OWNER, { partnerId: mine.partner.partnerId, endpointId: mine.endpointId });
    await assert.rejects(resend(database, OWNER, { partnerId: mine.partner.partnerId, deliveryId }), /was removed/);
  });
});

test('a test event is signed, has no sequence, is tried once and is in the log', HANG_LIMIT, async () => {
  const { partner, receiver, endpointId, secret } = await withEndpoint();
  const { isSuccess, claimed } = await testEndpoint(tools, OWNER, { partnerId: partner.partnerId, endpointId });
  const [arrived] = receiver.arrived as [Arrived];
  assert.deepEqual([isSuccess, arrived.event.sequence, arrived.event.event_type], [true, null, 'webhook.endpoint.test']);
  assert.equal(arrived.headers['x-service-signature'], expectedSignature(secret, arrived));
  assertPublished(arrived);
  receiver.answerWith(500);
  const failed = await testEndpoint(tools, OWNER, { partnerId: partner.partnerId, endpointId });
  const { status, log } = await getDelivery(database, partner.partnerId, failed.claimed.deliveryId);
  assert.deepEqual([status, log.length, log[0]?.status], ['failed', 1, 500]);
  const listed = async (wanted: 'exhausted' | 'failed') =>
    (await listDeliveries(database.pool, partner.partnerId, { status: wanted, limit: 10 })).map(({ deliveryId }) => deliveryId);
  assert.deepEqual([await listed('exhausted'), await listed('failed')], [[], [failed.claimed.deliveryId]]);
  assert.equal((await getDelivery(database, partner.partnerId, claimed.deliveryId)).status, 'delivered');
  const [entry] = await listAuditEntries(database.pool, { subjectId: claimed.deliveryId, limit: 1 });
  assert.deepEqual([entry?.action, entry?.operatorId, entry?.partnerId], ['delivery.test', 'owner', partner.partnerId]);
  assert.deepEqual(JSON.parse(entry?.after ?? ''), { endpoint_id: endpointId, event_id: claimed.eventId });
});

test('a test event without a result, as when its process died, is sent by nobody else', HANG_LIMIT, async () => {
  const { partner, receiver, endpointId } = await withEndpoint();
  const { partnerId } = partner;
  const asked: ServerResponse[] = [];
  receiver.answer = (response) => void asked.push(response);
  const testing = testEndpoint(tools, OWNER, { partnerId, endpointId });
  await receiver.until(1);
  // Its lease has ended.
  await makeDue(database, partnerId);
  const [delivery] = await untilDeliveries(database, partnerId, ({ length }) => length === 1);
  const claim = { limit: 10, leaseMs: 60_000 };
  const { deliveries } = await claimDeliveries(database.pool, { partnerId, endpointId, dueFrom: ALWAYS }, claim);
  assert.deepEqual([delivery?.status, delivery?.attempts, deliveries], ['failed', 0, []]);
  asked[0]?.end();
  const { claimed } = await testing;
  const { status, attempts, log } = await getDelivery(database, partnerId, claimed.deliveryId);
  assert.deepEqual([status, attempts, log.length], ['delivered', 1, 1]);
});

test('a test event that cannot be signed leaves nothing behind, and other endpoints get theirs', HANG_LIMIT, async () => {
  const [locked, sound] = [await withEndpoint(), await withEndpoint()];
  const { partnerId } = locked.partner;
  await database.pool.query(
    "update webhook_endpoint set secret_sealed = replace(secret_sealed, 'v1.test.', 'v1.lost.') where partner_id = $1",
    [partnerId],
  );
  await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: locked.endpointId, reason: 'a key is lost' });
  await assert.rejects(testEndpoint(tools, OWNER, { partnerId, endpointId: locked.endpointId }), /sealed under the key "lost"/);
  assert.deepEqual(await untilDeliveries(database, partnerId, () => true), []);
  await Promise.all([locked.client.confirm(), sound.client.confirm()]);
  await sound.receiver.until(1);
  const [delivery] = await untilDeliveries(database, partnerId, ({ length }) => length === 1);
  assert.deepEqual([delivery?.status, delivery?.attempts, locked.receiver.arrived.length], ['waiting', 0, 0]);
});
