/** Endpoints beside each other, and what becomes of deliveries that are claimed and wait for a place (decisions, section 7, Delivery). */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { newId } from '../../src/domain/identifiers.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { disableEndpoint, removeEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { activateSecret, rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts';
import { newSecret } from '../../src/webhooks/security/signature.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
const ENDPOINTS_OF_ONE = 5;
/** More than an endpoint may have under way at once. */
const MORE_THAN_PLACES = 70;

/** So many endpoints, at one receiver that holds every answer until the test is over. */
async function hang(count: number, eventsOfEach: number) {
  const held: ServerResponse[] = [];
  const receiver = await WebhookReceiver.open();
  receiver.answer = (response) => void held.push(response);
  for (let made = 0; made < count; made += ENDPOINTS_OF_ONE) {
    const { client, partner } = await service.newPartner();
    const { partnerId } = partner;
    for (let number = made; number < Math.min(made + ENDPOINTS_OF_ONE, count); number++) {
      const endpoint = { partnerId, endpointId: newId('wep'), url: `${receiver.url}?${number}` };
      const secretSealed = tools.secretBox.seal(endpoint.endpointId, newSecret());
      const eventTypes = ['impact.transaction.confirmed'];
      await insertWebhookEndpoint(database.pool, { ...endpoint, secretSealed, eventTypes });
      await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: endpoint.endpointId, reason: 'made by a test' });
    }
    await Promise.all(Array.from({ length: eventsOfEach }, () => client.confirm()));
  }
  return { receiver, held };
}

/** An attempt that was given up has its connection cut. */
const countEnded = (held: readonly ServerResponse[]) => held.filter(({ socket }) => socket === null || socket.destroyed).length;

describe('a neighbour', HANG_LIMIT, () => {
  const cases: [hanging: number, eventsOfEach: number][] = [[16, MORE_THAN_PLACES]];
  for (const [hanging, eventsOfEach] of cases)
    test(`has its ten events while not one attempt of ${hanging} endpoints that hang has ended`, async () => {
      const { receiver, held } = await hang(hanging, eventsOfEach);
      const neighbour = await newEndpoint(service, tools);
      await receiver.until(Math.min(hanging, 16) * 2);
      await Promise.all(Array.from({ length: 10 }, () => neighbour.client.confirm()));
      const before = countEnded(held);
      await neighbour.receiver.until(10);
      const after = countEnded(held);
      for (const response of held) response.end();
      receiver.answerWith(200);
      assert.equal(after, before);
    });
});

/** One endpoint with more events than it has places for, at a receiver that holds every answer. */
async function withWaiting() {
  const made = await newEndpoint(service, tools, ['impact.transaction.confirmed']);
  const held: ServerResponse[] = [];
  made.receiver.answer = (response) => void held.push(response);
  await Promise.all(Array.from({ length: MORE_THAN_PLACES }, () => made.client.confirm()));
  await made.receiver.until(64);
  const id = { partnerId: made.partner.partnerId, endpointId: made.endpointId };
  // All are claimed then.
  await untilClaimed(id.partnerId, MORE_THAN_PLACES);
  const end = (status: number) => {
    made.receiver.answerWith(status);
    for (const response of held.splice(0)) response.writeHead(status).end();
  };
  return { ...made, id, end };
}

async function untilClaimed(partnerId: string, count: number): Promise<void> {
  const text =
    "select count(*)::int4 as claimed from delivery where partner_id = $1 and ended_at is null and lease > attempts and next_attempt_at > now() + interval '5 s'";
  await waitFor(`claim of ${count} deliveries`, async () => {
    const { rows } = await database.pool.query(text, [partnerId]);
    return rows[0].claimed === count;
  });
}

describe('what is claimed and waits for a place', HANG_LIMIT, () => {
  for (const [what, change] of [
    ['disabled', (id) => disableEndpoint(database, OWNER, id, 'The test says so.')],
    ['removed', (id) => removeEndpoint(database, OWNER, id)],
  ] as [string, (id: { partnerId: string; endpointId: string }) => Promise<unknown>][])
    test(`goes back untouched when the endpoint is ${what}, before a place comes free`, async () => {
      const { id, receiver, end } = await withWaiting();
      await change(id);
      await untilClaimed(id.partnerId, 64);
      end(200);
      const ended = (status: string) => status === 'delivered';
      const all = await untilDeliveries(
        database,
        id.partnerId,
        (found) => found.filter(({ status }) => ended(status)).length === 64,
      );
      const back = all.filter(({ status }) => !ended(status));
      assert.deepEqual([back.length, back.map(({ attempts }) => attempts), receiver.arrived.length], [6, [0, 0, 0, 0, 0, 0], 64]);
    });

  test('is signed with the secret that was activated meanwhile, alone', async () => {
    const [{ id, receiver, end }, disabled] = await Promise.all([withWaiting(), withWaiting()]);
    await rotateSecret(tools, OWNER, id);
    await activateSecret(database, OWNER, id);
    const { rows } = await database.pool.query('select secret_sealed from webhook_endpoint where endpoint_id = $1', [
      id.endpointId,
    ]);
    const secret = tools.secretBox.open(id.endpointId, rows[0].secret_sealed);
    // A process reads all endpoints for which something waits at once: when it has read that this one is disabled, it has the secret too.
    await disableEndpoint(database, OWNER, disabled.id, 'The test says so.');
    await untilClaimed(disabled.id.partnerId, 64);
    disabled.end(200);
    end(200);
    const last = (await receiver.until(MORE_THAN_PLACES)).slice(64);
    const { Webhook } = await import('standardwebhooks');
    for (const { headers, body } of last) new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.deepEqual(
      last.map(({ headers }) => headers['x-service-signature-next']),
      Array(6).fill(undefined),
    );
  });

  test('goes back untouched when the breaker opens, and is due when it lets the next one pass', async () => {
    const { id, receiver, end } = await withWaiting();
    end(500);
    const all = await untilDeliveries(
      database,
      id.partnerId,
      (found) =>
        found.reduce((sum, { attempts }) => sum + attempts, 0) === receiver.arrived.length && receiver.arrived.length >= 64,
    );
    const untouched = all.filter(({ attempts }) => attempts === 0);
    assert.ok(untouched.length > 0, `${receiver.arrived.length} of ${MORE_THAN_PLACES} lost an attempt`);
    const countDue = async () => {
      const { rows } = await database.pool.query(
        `select count(*)::int4 as due from delivery d join endpoint_health h using (partner_id, endpoint_id)
        where d.partner_id = $1 and d.attempts = 0 and d.next_attempt_at between h.breaker_open_until - interval '1 s' and h.breaker_open_until`,
        [id.partnerId],
      );
      return rows[0].due;
    };
    // They go back when the failures are recorded, one queue after the other.
    await waitFor('return of what was not sent', async () => (await countDue()) === untouched.length);
  });
});
