/** getEvent: decisions, sections 1 and 7. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packBody } from '../../src/domain/events/packed-body.ts';
import { issueApiKey } from '../../src/operations/access/manage-api-key.ts';
import { suspendPartner } from '../../src/operations/access/manage-partner.ts';
import { type LoggedDelivery, listDeliveries } from '../../src/store/webhooks/delivery-log.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { resend } from '../../src/webhooks/endpoints/manage-delivery.ts';
import { OWNER } from '../support/actor.ts';
import { assertError } from '../support/assertions/assert-error.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { Client, detailCodes } from '../support/client.ts';
import { document, listMisfits } from '../support/published.ts';
import { untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { client, partner } = await service.newPartner();
const { partnerId } = partner;
// The first is `settlement.created`, from before there is an endpoint.
await untilSequenced(service.database, partnerId, 1);
const other = await service.newPartner();
const receiver = await WebhookReceiver.open();
await addEndpoint(endpointTools(service.database), OWNER, { partnerId, url: receiver.url, eventTypes: [] });
await client.confirm({ points: 9_223_372_036_854_775_807n });
await untilSequenced(service.database, partnerId, 2);
const [listed] = (await client.listEvents('?after_sequence=1')).body.events;

test(
  '200: the event beside request, in the very bytes that are delivered, with every digit of its points',
  HANG_LIMIT,
  async () => {
    const answer = await client.getEvent(listed.event_id, { 'x-correlation-id': 'corr-of-reading' });
    const [delivered] = await receiver.until(1);
    assert.equal(answer.status, 200);
    assert.equal(answer.text, `{"event":${delivered?.body},"request":{"correlation_id":"corr-of-reading"}}`);
    assert.match(answer.text, /"points":9223372036854775807,/);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.headers.get('x-correlation-id'), 'corr-of-reading');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  },
);

test('200: as the document says', async () => {
  const { schema } = document.paths['/v1/events/{event_id}'].get.responses['200'].content['application/json'];
  assert.equal(listMisfits(schema, JSON.parse((await client.getEvent(listed.event_id)).text)), '');
});

test('404 invalid_request, not_found: unknown, of another partner, and ill formed are one and the same answer', async () => {
  const ids = [
    'evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
    listed.event_id,
    'short',
    'x'.repeat(129),
    'with%20blank',
    '%D8%B4',
    'a%2Fb%2Fc%2Fd',
  ];
  const answers = await Promise.all(ids.map((id) => other.client.getEvent(id, { 'x-correlation-id': 'corr-same-answer' })));
  for (const answer of answers) {
    assert.equal(answer.status, 404);
    assert.equal(answer.text, answers[0]?.text);
  }
  const [first] = answers;
  assertError(first, 'invalid_request', 404);
  assert.deepEqual(first && detailCodes(first), { event_id: 'not_found' });
  assert.match(first?.body.error.message, /GET \/v1\/events/);
});

test('a read-only key and a suspended partner read on', async () => {
  const terms = { name: 'reader', permission: 'read_only', allowedAddresses: [], expiresAt: null } as const;
  const { apiKey } = await issueApiKey(service.database, OWNER, { environment: 'sandbox', partnerId, ...terms });
  await suspendPartner(service.database, OWNER, partnerId);
  assert.equal((await new Client(service.baseUrl, apiKey).getEvent(listed.event_id)).status, 200);
});

test('HEAD answers as GET, without the body', async () => {
  const [head, get] = await Promise.all(
    ['HEAD', 'GET'].map((method) => client.call(`/v1/events/${listed.event_id}`, { method })),
  );
  assert.deepEqual([head?.status, head?.text], [200, '']);
  assert.equal(head?.headers.get('content-length'), get?.headers.get('content-length'));
});

test('invalid_request: a query is refused', async () => {
  const answer = await client.getEvent(`${listed.event_id}?expand=all`);
  assert.deepEqual([answer.status, detailCodes(answer)], [400, { expand: 'unknown_field' }]);
});

test(
  '200, a page and a delivery: the body that was stored first, as values, packed or as text, whatever a release makes of the event',
  HANG_LIMIT,
  async () => {
    const { database } = service;
    const { rows } = await database.pool.query('select body_values from event where partner_id = $1 and sequence = 2', [
      partnerId,
    ]);
    const [{ body_values: ownValues }] = rows;
    const [delivered] = await receiver.until(1);
    const ownText = String(delivered?.body);
    // On a cluster every body is packed.
    const asValues = [null, '{"of":"an earlier release that ran beside this one"}', ownValues, ownText] as const;
    const isPacked = process.env['TEST_ENGINE'] === 'citus';
    assert.equal(ownValues === null, isPacked);
    const store = (body: string | null, packed: string | null, values: string | null) =>
      database.pool.query(
        'update event set body = $2, packed_body = $3, body_values = $4 where partner_id = $1 and sequence = 2',
        [partnerId, body, packed && packBody(Buffer.from(packed)), values],
      );
    const [delivery] = await listDeliveries(database.pool, partnerId, { limit: 1 });
    const { deliveryId } = delivery as LoggedDelivery;
    for (const [text, packed, values, stored] of [
      ['{"of":"an earlier release, وقدرها"}', null, null, '{"of":"an earlier release, وقدرها"}'],
      ['{"of":"an earlier release that ran beside this one"}', '{"of":"this release"}', null, '{"of":"this release"}'],
      [null, `{"with":"${'🌳'.repeat(5_000)}"}`, null, `{"with":"${'🌳'.repeat(5_000)}"}`],
      ...(isPacked ? [] : [asValues]),
    ] as const) {
      await store(text, packed, values);
      const arrived = receiver.arrived.length + 1;
      await resend(database, OWNER, { partnerId, deliveryId });
      assert.equal((await receiver.until(arrived)).at(-1)?.body.toString(), stored);
      assert.ok((await client.getEvent(listed.event_id)).text.startsWith(`{"event":${stored},"request":`));
      assert.ok((await client.listEvents('?after_sequence=1')).text.startsWith(`{"events":[${stored}],`));
    }
  },
);
