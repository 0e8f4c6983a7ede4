/** Endpoints are compared with the audit while operators change them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import type { Database } from '../../src/store/database.ts';
import { findWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { openVerifiedEndpoints } from '../../src/webhooks/delivery/verified-endpoints.ts';
import { updateEventTypes } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { sendSamples } from '../../src/webhooks/endpoints/send-samples.ts';
import { testEndpoint } from '../../src/webhooks/endpoints/test-endpoint.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { endpointTools, newEndpoint, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);

const TYPES = ['impact.transaction.confirmed', 'settlement.closed'] as const;

async function newScene() {
  const { partner, endpointId, receiver } = await newEndpoint(service, tools);
  const id = { partnerId: partner.partnerId, endpointId };
  const read = async () => {
    const endpoint = await findWebhookEndpoint(database.pool, id.partnerId, id.endpointId);
    return endpoint ? [endpoint] : [];
  };
  const change = (...types: string[]) => updateEventTypes(database, OWNER, id, types);
  return { id, read, change, receiver };
}

/** The database, in which something else is committed behind the first statement of this name. */
function withOneBehind(name: string, change: () => Promise<unknown>): Database {
  let isDone = false;
  const query = async (...words: Parameters<typeof database.pool.query>) => {
    const result = await database.pool.query(...words);
    if (!isDone && (words[0] as { name?: string }).name === name) {
      isDone = true;
      await change();
    }
    return result;
  };
  const pool = { query, connect: () => database.pool.connect() } as unknown as pg.Pool;
  return { ...database, pool };
}

test('one that an operator changed since it was read is left out alone: nobody edited it', HANG_LIMIT, async () => {
  const { read, change } = await newScene();
  const old = await read();
  await change(TYPES[0]);
  const { keepVerified } = openVerifiedEndpoints(database, assert.ifError);
  assert.deepEqual(await keepVerified(old), []);
  const now = await read();
  assert.deepEqual([now.length, await keepVerified(now)], [1, now]);
});

test('one that was edited is named, and left out', HANG_LIMIT, async () => {
  const { id, read } = await newScene();
  await asSuperuser(database.pool, async (client) => {
    await client.query('update webhook_endpoint set url = $2 where endpoint_id = $1', [
      id.endpointId,
      'http://127.0.0.1:1/theirs',
    ]);
  });
  const named: unknown[] = [];
  const { keepVerified } = openVerifiedEndpoints(database, (error) => named.push((error as Error).message));
  assert.deepEqual(await keepVerified(await read()), []);
  assert.equal(named.length, 1);
  assert.match(
    String(named[0]),
    new RegExp(`^The webhook endpoint ${id.endpointId} differs from the audit: url differs from the audit`),
  );
});

test('a test event is sent to the endpoint as it was changed meanwhile', HANG_LIMIT, async () => {
  const { id, read, change, receiver } = await newScene();
  const between = withOneBehind('find_webhook_endpoint', () => change(TYPES[0]));
  const { isSuccess } = await testEndpoint({ ...tools, database: between }, OWNER, id);
  const [endpoint] = await read();
  assert.deepEqual([isSuccess, receiver.arrived.length, endpoint?.eventTypes], [true, 1, [TYPES[0]]]);
});

test('a sample is sent to an endpoint that was changed meanwhile, if it still receives the type', HANG_LIMIT, async () => {
  for (const [type, count] of [
    [TYPES[0], 1],
    [TYPES[1], 0],
  ] as const) {
    const { id, change, receiver } = await newScene();
    const between = withOneBehind('list_webhook_endpoints', () => change(TYPES[0]));
    const wanted = { partnerId: id.partnerId, endpointId: undefined, eventType: type, fault: undefined, data: {} };
    const sending = sendSamples({ ...tools, database: between }, OWNER, wanted);
    if (count === 0)
      await assert.rejects(sending, { code: 'invalid_request', message: /no active webhook endpoint that receives/ });
    else
      assert.deepEqual(
        (await sending).map(({ isSuccess }) => isSuccess),
        [true],
      );
    assert.equal(receiver.arrived.length, count, type);
  }
});
