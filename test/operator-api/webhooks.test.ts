/** Endpoints and deliveries as operators work with them, with a receiver that answers over real sockets. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import { type SignedInOperator, signedInOperator } from '../support/operator-client.ts';
import { testService } from '../support/service.ts';
import { type Arrived, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const V1 = '/operator/v1';

let viewer: SignedInOperator;
let operator: SignedInOperator;
before(async () => {
  viewer = await signedInOperator(service, 'viewer');
  operator = await signedInOperator(service, 'operator');
});

async function newEndpoint() {
  const { partner, client } = await service.newPartner();
  const receiver = await WebhookReceiver.open();
  const key = uniqueId('key');
  const add = () => operator.postOnce(`${V1}/endpoints`, { partner_id: partner.partnerId, url: receiver.url }, key);
  const added = await add();
  assert.equal(added.status, 200, added.text);
  const { endpoint_id: endpointId } = added.body.endpoint;
  return {
    partnerId: partner.partnerId,
    client,
    receiver,
    added,
    add,
    endpointId,
    path: `${V1}/partners/${partner.partnerId}/endpoints/${endpointId}`,
  };
}

test('an endpoint answers a challenge; its secret is shown once, and again under the same key', async () => {
  const { added, add, receiver, path } = await newEndpoint();
  assert.match(added.body.secret, /^whsec_/);
  assert.equal(receiver.challenges.length, 1);
  assert.equal((await add()).body.secret, added.body.secret);
  assert.equal(receiver.challenges.length, 1);
  const { rows } = await database.pool.query("select answer from keyed_answer where operation = 'addEndpoint'");
  assert.ok(!JSON.stringify(rows).includes(added.body.secret));
  assert.ok(!(await viewer.get(path)).text.includes('whsec_'));
});

test('a test event, a failed delivery with its attempts, and sending it again', async () => {
  const { partnerId, client, receiver, path, endpointId } = await newEndpoint();
  assert.deepEqual((await operator.post(`${path}/test`)).body.is_success, true);
  receiver.answer = (response) => void response.writeHead(500).end('<b>no</b>');
  await client.confirm();
  const [failed] = await untilDeliveries(database, partnerId, ([first]) => first?.trigger === 'event' && first.attempts > 0);
  const delivery = `${V1}/partners/${partnerId}/deliveries/${failed?.deliveryId}`;
  const shown = (await viewer.get(delivery)).body;
  assert.deepEqual([shown.attempts[0].status, shown.attempts[0].excerpt], [500, '<b>no</b>']);
  const list = (await viewer.get(`${V1}/partners/${partnerId}/deliveries?endpoint_id=${endpointId}&limit=1`)).body;
  assert.deepEqual([list.deliveries[0].delivery_id, list.has_more], [failed?.deliveryId, true]);
  const [found] = (await viewer.get(`${V1}/search?q=${failed?.deliveryId}`)).body.records;
  assert.deepEqual([found.kind, found.partner_id, found.status], ['delivery', partnerId, shown.delivery.status]);
  const failing = (await viewer.get(`${V1}/endpoints?state=failing&limit=200`)).body.endpoints;
  assert.ok(failing.some(({ endpoint_id }: { endpoint_id: string }) => endpoint_id === endpointId));
  assert.ok((await viewer.get(`${V1}/overview`)).body.webhooks.failing >= 1);
  receiver.answer = (response) => void response.end('noted');
  assert.equal((await operator.postOnce(`${delivery}/resend`, undefined)).body.status, 'waiting');
  await untilDeliveries(database, partnerId, ([first]) => first?.status === 'delivered');
});

const CONFIRMED = 'impact.transaction.confirmed';
const isConfirmed = ({ eventType }: { readonly eventType: string }) => eventType === CONFIRMED;

test('an event with the bytes that are sent, and where it went', async () => {
  const { partnerId, client, receiver, endpointId } = await newEndpoint();
  const { transaction_id } = (await client.confirm()).body.contribution;
  await untilDeliveries(database, partnerId, (all) => all.some(isConfirmed) && all.every(({ status }) => status === 'delivered'));
  const { body: sent, headers } = receiver.arrived.find(({ event }) => isConfirmed({ eventType: event.event_type })) as Arrived;
  const eventId = String(headers['x-service-event-id']);
  const path = `${V1}/partners/${partnerId}/events/${eventId}`;
  const { body } = await viewer.get(path);
  assert.deepEqual(
    [body.event_id, body.event_type, body.subject_id, body.body],
    [eventId, CONFIRMED, transaction_id, String(sent)],
  );
  const { occurred_at, sequence } = JSON.parse(body.body);
  assert.deepEqual([body.occurred_at, body.sequence], [occurred_at, String(sequence)]);
  const { deliveries } = (await viewer.get(`${V1}/partners/${partnerId}/deliveries?event_id=${eventId}`)).body;
  assert.deepEqual(
    deliveries.map(({ endpoint_id, status }: Record<string, string>) => [endpoint_id, status]),
    [[endpointId, 'delivered']],
  );
  const other = await service.newPartner();
  const elsewhere = await viewer.get(`${V1}/partners/${other.partner.partnerId}/events/${eventId}`);
  assert.equal(elsewhere.status, 404);
  assert.equal((await viewer.get(`${path}x`)).status, 404);
});

test('the overview counts the endpoints that the lists show', async () => {
  const { partnerId, client, receiver, path } = await newEndpoint();
  const counts = async () => {
    const { disabled, failing } = (await viewer.get(`${V1}/overview`)).body.webhooks;
    return { disabled, failing };
  };
  const listed = async (state: string) => (await viewer.get(`${V1}/endpoints?state=${state}&limit=200`)).body.endpoints.length;
  receiver.answer = (response) => void response.writeHead(500).end();
  await client.confirm();
  await untilDeliveries(database, partnerId, ([first]) => first !== undefined && first.attempts > 0);
  const before = await counts();
  assert.deepEqual(before, { disabled: await listed('disabled'), failing: await listed('failing') });
  assert.equal((await operator.post(`${path}/disable`, { reason: 'test' })).status, 200);
  assert.deepEqual(await counts(), { disabled: before.disabled + 1, failing: before.failing - 1 });
});

test('the endpoints for which deliveries wait, or that have exhausted ones, are listed in every order, of all partners and of one', async () => {
  const { partnerId, client, receiver, path, endpointId } = await newEndpoint();
  const listed = async (filter: string) => {
    const ids: string[] = [];
    for (let [after, hasMore] = ['', true]; hasMore; ) {
      const { status, body, text } = await viewer.get(`${V1}/endpoints?limit=1&${filter}${after && `&after=${after}`}`);
      assert.equal(status, 200, text);
      ids.push(...body.endpoints.map(({ endpoint_id }: { endpoint_id: string }) => endpoint_id));
      [after, hasMore] = [body.next_after, body.has_more];
    }
    return ids;
  };
  const isIn = async (filter: string) => {
    const [ofAll, ofOne] = [await listed(filter), await listed(`${filter}&partner_id=${partnerId}`)];
    assert.equal(new Set(ofAll).size, ofAll.length);
    assert.ok(ofOne.every((id) => id === endpointId));
    assert.equal(ofAll.includes(endpointId), ofOne.length === 1);
    return ofOne.length === 1;
  };
  const states = async () => [await isIn('undelivered=waiting'), await isIn('undelivered=exhausted')];
  // What its partner's first events left is sent: two lists are read one after the other.
  const ofOne = `undelivered=waiting&partner_id=${partnerId}`;
  await waitFor('endpoint without a delivery that waits', async () => (await listed(ofOne)).length === 0);
  assert.deepEqual(await states(), [false, false]);
  let release: (() => void) | undefined;
  receiver.answer = (response) => (release = () => void response.writeHead(500).end());
  await client.confirm();
  await waitFor('delivery under way', () => release !== undefined);
  assert.deepEqual(await states(), [true, false], 'while it is sent for the first time');
  release?.();
  receiver.answer = (response) => void response.writeHead(500).end();
  await untilDeliveries(database, partnerId, ([first]) => first !== undefined && first.attempts > 0);
  assert.deepEqual(await states(), [true, false], 'until its next attempt');
  for (const sort of ['created_at', '-created_at', 'failing_since', '-failing_since'])
    assert.ok(await isIn(`undelivered=waiting&sort=${sort}`), sort);
  for (const state of ['healthy', 'failing', 'disabled'])
    assert.equal(await isIn(`undelivered=waiting&state=${state}`), state === 'failing', state);
  await database.pool.query("update delivery set status = 'exhausted' where partner_id = $1", [partnerId]);
  assert.deepEqual(await states(), [false, true]);
  assert.ok(await isIn('undelivered=exhausted&sort=-failing_since'));
  assert.equal((await operator.post(`${path}/disable`, { reason: 'test' })).status, 200);
  assert.ok(await isIn('undelivered=exhausted&state=disabled'));
  assert.ok(!(await isIn('undelivered=exhausted&sort=failing_since')), 'one that is disabled fails no more');
});

test('what was given up is listed, and sent again since a time', async () => {
  const { partnerId, client, path, endpointId } = await newEndpoint();
  await client.confirm();
  const [first] = await untilDeliveries(database, partnerId, ([newest]) => newest?.status === 'delivered');
  await database.pool.query("update delivery set status = 'exhausted' where partner_id = $1 and delivery_id = $2", [
    partnerId,
    first?.deliveryId,
  ]);
  await waitFor(
    'exhausted delivery in the overview',
    async () => (await viewer.get(`${V1}/overview`)).body.webhooks.exhausted >= 1,
  );
  const undelivered = async () =>
    (await viewer.get(`${V1}/endpoints?partner_id=${partnerId}`)).body.endpoints.map(
      (each: { undelivered: number }) => each.undelivered,
    );
  assert.deepEqual(await undelivered(), [1]);
  const listed = async (filter: string) =>
    (await viewer.get(`${V1}/partners/${partnerId}/deliveries?${filter}`)).body.deliveries.map(
      ({ delivery_id }: { delivery_id: string }) => delivery_id,
    );
  assert.deepEqual(await listed(`status=exhausted&endpoint_id=${endpointId}`), [first?.deliveryId]);
  assert.ok(!(await listed(`status=delivered&endpoint_id=${endpointId}`)).includes(first?.deliveryId));
  assert.deepEqual(await listed(`status=exhausted&endpoint_id=${uniqueId('whe')}`), []);
  await database.pool.query(
    `insert into delivery select (jsonb_populate_record(d, jsonb_build_object('delivery_id', d.delivery_id || n))).*
      from delivery d cross join generate_series(101, 220) n where partner_id = $1`,
    [partnerId],
  );
  assert.deepEqual(await undelivered(), [101], 'more than 100');
  await database.pool.query('delete from delivery where partner_id = $1 and delivery_id <> $2', [partnerId, first?.deliveryId]);
  const recover = (since: string) => operator.postOnce(`${path}/recover`, { since });
  assert.equal((await recover(new Date(Date.now() + 60_000).toISOString())).body.recovered, 0);
  assert.equal((await recover('2020-01-01T00:00:00Z')).body.recovered, 1);
  assert.equal((await recover('yesterday, or so I think')).status, 400);
  await untilDeliveries(database, partnerId, (all) => all.every(({ status }) => status === 'delivered'));
  assert.deepEqual(await undelivered(), [0]);
});

test('disabled, enabled, rotated, removed; each is audited under the operator', async () => {
  const { partnerId, path, endpointId } = await newEndpoint();
  assert.equal((await operator.post(`${path}/disable`, { reason: 'the shop moves' })).body.status_reason, 'the shop moves');
  const disabled = (await viewer.get(`${V1}/endpoints?state=disabled&partner_id=${partnerId}`)).body.endpoints;
  assert.deepEqual(
    disabled.map(({ endpoint_id }: { endpoint_id: string }) => endpoint_id),
    [endpointId],
  );
  assert.equal((await operator.post(`${path}/enable`)).body.status, 'active');
  assert.match((await operator.postOnce(`${path}/rotate-secret`, undefined)).body.secret, /^whsec_/);
  const removed = await operator.send('DELETE', path, { headers: { 'idempotency-key': uniqueId('key') } });
  assert.equal(removed.body.status, 'removed');
  assert.equal((await viewer.get(path)).status, 404);
  const { rows } = await database.pool.query(
    'select action, operator_id from audit_entry where subject_id = $1 order by entry_no',
    [endpointId],
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['endpoint.add', 'endpoint.disable', 'endpoint.enable', 'endpoint.rotate-secret', 'endpoint.remove'],
  );
  assert.deepEqual([...new Set(rows.map(({ operator_id }) => operator_id))], [operator.operatorId]);
});
