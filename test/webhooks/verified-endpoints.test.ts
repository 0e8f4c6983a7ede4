/** Endpoints are compared with the audit while operators change them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { newId } from '../../src/domain/identifiers.ts';
import { audit } from '../../src/operations/audit/audit.ts';
import { ENDPOINT } from '../../src/operations/audit/audited-kinds.ts';
import { UNCOUNTED } from '../../src/operations/quotas/storage-usage.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { inTransaction } from '../../src/store/transaction.ts';
import { watchEndpoints } from '../../src/store/webhooks/endpoint-watch.ts';
import { findWebhookEndpoint, insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { Dispatcher } from '../../src/webhooks/delivery/dispatcher.ts';
import { Pace } from '../../src/webhooks/delivery/pace.ts';
import { openVerifiedEndpoints } from '../../src/webhooks/delivery/verified-endpoints.ts';
import { updateEventTypes } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { sendSamples } from '../../src/webhooks/endpoints/send-samples.ts';
import { testEndpoint } from '../../src/webhooks/endpoints/test-endpoint.ts';
import { openSecrets } from '../../src/webhooks/security/endpoint-secrets.ts';
import { openGuardedAgent } from '../../src/webhooks/security/guarded-agent.ts';
import { newSecret } from '../../src/webhooks/security/signature.ts';
import { auditKeys, OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { asSuperuser } from '../support/postgres/superuser.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
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

/** So many endpoints of a partner each, with a delivery that is due, in a database that nothing else serves. */
async function withDueEndpoints(count: number) {
  const { databaseUrl } = await testDatabase();
  const own = openDatabase({ databaseUrl, poolSize: 8, auditKeys });
  after(() => own.close());
  const receiver = await WebhookReceiver.open();
  for (let number = 0; number < count; number++) {
    const endpointId = newId('wep');
    const id = { partnerId: `ptn_${endpointId}`, endpointId };
    const secretSealed = tools.secretBox.seal(endpointId, newSecret());
    await inTransaction(own, { lockTimeoutMs: 4_000 }, async (db) => {
      const endpoint = await insertWebhookEndpoint(db, { ...id, url: receiver.url, eventTypes: [], secretSealed });
      await watchEndpoints(db, own, [id]);
      await db.query(
        `insert into delivery (partner_id, delivery_id, endpoint_id, event_id, body, event_type, trigger, status, attempts_left, next_attempt_at, created_at)
         values ($1, $2, $3, $4, '{}', 'x.y', 'test', 'waiting', 1, now(), now())`,
        [id.partnerId, newId('dlv'), endpointId, newId('evt')],
      );
      const about = { action: 'endpoint.add', partnerId: id.partnerId, subjectId: endpointId, before: null };
      await audit(db, OWNER, { ...about, after: ENDPOINT.recordOf(endpoint) });
    });
  }
  return { own, receiver };
}

test(
  'of hundreds that are due the dispatcher reads the audit of those that are next, and of the others at their turn',
  HANG_LIMIT,
  async () => {
    const { own, receiver } = await withDueEndpoints(450);
    const [verified, claims, mayClaim] = [new Set<string>(), { count: 0 }, Promise.withResolvers<void>()];
    const query = async (...words: Parameters<typeof own.pool.query>) => {
      const { name, text } = words[0] as unknown as { name?: string; text: string };
      if (text.includes('update delivery d set lease')) {
        claims.count++;
        await mayClaim.promise;
      }
      const result = (await own.pool.query(...words)) as unknown as pg.QueryResult;
      if (name === 'list_last_audit_entries') for (const { subjectId } of result.rows) verified.add(subjectId);
      return result;
    };
    const listened = { ...own, pool: { query, connect: () => own.pool.connect() } as unknown as pg.Pool };
    const dispatcher = new Dispatcher({
      ...tools,
      database: listened,
      pace: new Pace(),
      usage: UNCOUNTED,
      client: openGuardedAgent({ allowInsecure: true }),
      openSecrets: (endpoint) => openSecrets(tools.secretBox, endpoint),
      onAttempt: () => {},
      onDisabled: () => {},
      onError: assert.ifError,
    });
    await waitFor('claim', () => claims.count > 0);
    assert.equal(verified.size, 200);
    mayClaim.resolve();
    await receiver.until(450);
    await dispatcher.close();
    assert.equal(verified.size, 450);
  },
);
