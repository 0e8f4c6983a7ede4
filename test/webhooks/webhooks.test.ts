/** Events from the change to the receiver (interface, "Events"; decisions, section 7). */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Agent, buildConnector } from 'undici';
import { readClock } from '../../src/store/clock.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import {
  disableEndpoint,
  enableEndpoint,
  removeEndpoint,
  updateEventTypes,
} from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { activateSecret, rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts';
import { explainSignature } from '../../src/webhooks/receiver/explain-signature.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { type Client, countByStatus, newConfirmation } from '../support/client.ts';
import { assertPublished, ENVELOPE_MEMBERS } from '../support/published.ts';
import { countRows, insertOldPartner, untilSequenced } from '../support/records.ts';
import { testService } from '../support/service.ts';
import type { Arrived } from '../support/webhooks/webhook-receiver.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, makeDue, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const DAY_MS = 86_400_000;

const service = await testService({ env: WEBHOOK_ENV });
const { database } = service;
const tools = endpointTools(database);
const withEndpoint = (eventTypes: readonly string[] = []) => newEndpoint(service, tools, eventTypes);

describe('impact.transaction.confirmed', HANG_LIMIT, () => {
  test('carries contribution and association as in the 201, with the correlation id of the request', async () => {
    const { client: caller, receiver } = await withEndpoint();
    const answer = await caller.confirm({ points: 9_223_372_036_854_775_807n }, { 'x-correlation-id': 'correlation-1' });
    const [{ event, headers, body }] = (await receiver.until(1)) as [Arrived];
    assert.deepEqual(Object.keys(event), ENVELOPE_MEMBERS);
    assert.match(body.toString(), /"points":9223372036854775807,/);
    const { points: _exact, ...contribution } = answer.body.contribution;
    const { points: _rounded, ...told } = event.data.contribution;
    assert.deepEqual(told, contribution);
    assert.deepEqual(event.data.association, answer.body.association);
    assert.deepEqual([event.sequence, event.correlation_id, event.environment], [2, 'correlation-1', 'sandbox']);
    assert.equal(event.occurred_at, contribution.confirmed_at);
    assert.equal(headers['x-correlation-id'], 'correlation-1');
    for (const delivery of [...receiver.challenges, ...receiver.arrived]) assertPublished(delivery);
    assert.equal(receiver.challenges.length, 1);
  });

  test('verifies by the published verifier and by the explanation of ours', async () => {
    const { client: caller, receiver, secret } = await withEndpoint();
    await caller.confirm();
    const [{ headers, body, event }] = (await receiver.until(1)) as [Arrived];
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>) as { event_id: string };
    assert.equal(verified.event_id, event.event_id);
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const ours = explainSignature({ secret, headers: headers as Record<string, string>, body, nowSeconds });
    assert.equal(ours.status, 'valid');
  });

  test('never on a replay or a refusal', async () => {
    const { client: caller, receiver } = await withEndpoint();
    const confirmation = newConfirmation();
    const headers = { 'idempotency-key': 'key-of-a-replay' };
    await caller.confirm(confirmation, headers);
    await caller.confirm(confirmation, headers);
    await caller.confirm(confirmation);
    await caller.confirm({ points: 0 });
    await caller.confirm();
    const arrived = await receiver.until(2);
    assert.deepEqual(
      arrived.map(({ event }) => event.sequence),
      [2, 3],
    );
    assert.equal(new Set(arrived.map(({ event }) => event.data.contribution.transaction_id)).size, 2);
  });
});

describe('impact.transaction.adjusted: associated', HANG_LIMIT, () => {
  /** A confirmed contribution and an estimate of its order. */
  async function newPair(caller: Client) {
    const { contribution } = (await caller.confirm()).body;
    const { estimate } = (await caller.estimate({ partner_order_ref: contribution.partner_order_ref })).body;
    return { contribution, estimate };
  }

  test('carries change, contribution and association as in the 201, with the correlation id of the association', async () => {
    const { client: caller, receiver } = await withEndpoint(['impact.transaction.adjusted']);
    const { contribution, estimate } = await newPair(caller);
    const headers = { 'x-correlation-id': 'correlation-of-link' };
    const { association } = (await caller.associate(contribution.transaction_id, estimate.calculation_id, headers)).body;
    const [delivery] = (await receiver.until(1)) as [Arrived];
    const { event, headers: received } = delivery;
    assertPublished(delivery);
    assert.deepEqual([event.event_type, event.sequence], ['impact.transaction.adjusted', 3]);
    assert.deepEqual(Object.keys(event.data), ['change', 'contribution', 'association']);
    assert.equal(event.data.change, 'associated');
    assert.deepEqual(event.data.contribution, { ...contribution, points: 250 });
    assert.deepEqual(event.data.association, association);
    assert.equal(event.occurred_at, association.link.associated_at);
    assert.equal(event.correlation_id, 'correlation-of-link');
    assert.equal(received['x-correlation-id'], 'correlation-of-link');
  });

  test('once for each link: never on a replay, a refusal or a race, and not when the confirmation itself links', async () => {
    const { client: caller, partner } = await withEndpoint();
    const { contribution, estimate } = await newPair(caller);
    const race = Array.from({ length: 20 }, (_, index) =>
      caller.associate(contribution.transaction_id, estimate.calculation_id, { 'idempotency-key': `link-key-${index % 2}` }),
    );
    assert.deepEqual(countByStatus(await Promise.all(race)), { 201: 10, 409: 10 });
    const another = (await caller.estimate({ partner_order_ref: contribution.partner_order_ref })).body.estimate;
    assert.equal((await caller.associate(contribution.transaction_id, another.calculation_id)).status, 409);
    assert.equal((await caller.associate('txn_of-nobody-1', another.calculation_id)).status, 404);
    const { partner_order_ref, calculation_id } = (await caller.estimate()).body.estimate;
    await caller.confirm({ partner_order_ref, calculation_id });
    await untilSequenced(database, partner.partnerId, 4);
    const { rows } = await database.pool.query(
      'select event_type from event where partner_id = $1 union all select event_type from event_outbox where partner_id = $1',
      [partner.partnerId],
    );
    assert.deepEqual(rows.map(({ event_type }) => event_type).sort(), [
      'impact.transaction.adjusted',
      'impact.transaction.confirmed',
      'impact.transaction.confirmed',
      'settlement.created',
    ]);
  });

  test('in the transaction of the link: where it cannot be written, nothing is linked, and the key is still free', async () => {
    const { client: caller, partner } = await service.newPartner();
    const { contribution, estimate } = await newPair(caller);
    const link = () =>
      caller.associate(contribution.transaction_id, estimate.calculation_id, { 'idempotency-key': 'link-or-nothing' });
    const untold = `check (partner_id <> '${partner.partnerId}' or event_type <> 'impact.transaction.adjusted') not valid`;
    await database.pool.query(`alter table event_outbox add constraint untold ${untold}`);
    const before = await countRows(database, partner.partnerId);
    assert.equal((await link()).status, 503);
    assert.deepEqual(await countRows(database, partner.partnerId), before);
    await database.pool.query('alter table event_outbox drop constraint untold');
    const answer = await link();
    assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [201, null]);
    assert.deepEqual(await countRows(database, partner.partnerId), {
      ...before,
      emissions_link: 1,
      event: (before['event'] as number) + 1,
    });
  });
});

test('sequence is without gaps per partner, however many confirm at once', HANG_LIMIT, async () => {
  const [one, other] = [await withEndpoint(), await withEndpoint()];
  await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 2 ? one : other).client.confirm()));
  for (const { receiver } of [one, other]) {
    const sequences = (await receiver.until(30)).map(({ event }) => event.sequence).sort((a, b) => a - b);
    assert.deepEqual(
      sequences,
      Array.from({ length: 30 }, (_, index) => index + 2),
    );
  }
});

describe('a receiver that fails', HANG_LIMIT, () => {
  test('410 disables the endpoint, its events are held, and enabling sends them', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    receiver.answerWith(410);
    await caller.confirm();
    await receiver.until(1);
    await untilStatus(partner.partnerId, endpointId, 'disabled');
    receiver.answerWith(200);
    await caller.confirm();
    const held = await untilDeliveries(database, partner.partnerId, ({ length }) => length === 2);
    assert.deepEqual([...new Set(held.map(({ status }) => status))], ['held']);
    assert.equal(receiver.arrived.length, 1);
    await enableEndpoint(database, OWNER, { partnerId: partner.partnerId, endpointId });
    const arrived = await receiver.until(3);
    assert.deepEqual(
      arrived
        .map(({ event }) => event.sequence)
        .slice(1)
        .sort(),
      [2, 3],
    );
  });

  test('gets the same event again, the same bytes signed anew', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    receiver.putOff();
    await caller.confirm();
    await untilDeliveries(database, partner.partnerId, ([delivery]) => delivery?.attempts === 1);
    receiver.answerWith(204);
    await makeDue(database, partner.partnerId);
    const [first, second] = (await receiver.until(2)) as [Arrived, Arrived];
    assert.deepEqual(second.body, first.body);
    assert.deepEqual([first.headers['x-service-attempt'], second.headers['x-service-attempt']], ['1', '2']);
    assert.equal(first.headers['user-agent'], 'partner-impact-webhooks/1');
  });
});

describe('endpoints', HANG_LIMIT, () => {
  test('a filter leaves kinds out, and the sequence shows it', async () => {
    const { client: caller, partner, receiver } = await withEndpoint(['settlement.closed']);
    await caller.confirm();
    await untilSequenced(database, partner.partnerId, 2);
    const { rows } = await database.pool.query('select 1 from delivery where partner_id = $1', [partner.partnerId]);
    assert.deepEqual([rows.length, receiver.arrived.length], [0, 0]);
  });

  test('a changed filter holds for what happens from then on', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint(['settlement.closed']);
    await caller.confirm();
    await untilSequenced(database, partner.partnerId, 2);
    await updateEventTypes(database, OWNER, { partnerId: partner.partnerId, endpointId }, ['impact.transaction.confirmed']);
    await caller.confirm();
    const [{ event }] = (await receiver.until(1)) as [Arrived];
    assert.equal(event.sequence, 3);
  });

  test('a receiver that does not answer the challenge is not stored', async () => {
    const { partner } = await service.newPartner();
    const silent = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    after(() => silent.close());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    await assert.rejects(
      addEndpoint(tools, OWNER, { partnerId: partner.partnerId, url, eventTypes: [] }),
      /return the challenge/,
    );
    const { rows } = await database.pool.query('select 1 from webhook_endpoint where partner_id = $1', [partner.partnerId]);
    assert.equal(rows.length, 0);
  });

  test('five at most, and the address of a sixth is not contacted', async () => {
    const { partner, receiver } = await withEndpoint();
    const { partnerId } = partner;
    const add = (url: string) => addEndpoint(tools, OWNER, { partnerId, url, eventTypes: [] });
    for (let count = 2; count <= 5; count++) await add(`${receiver.url}?number=${count}`);
    const sixth = await WebhookReceiver.open();
    await assert.rejects(add(sixth.url), /5 endpoints, which is the maximum/);
    assert.deepEqual([sixth.challenges.length, receiver.challenges.length], [0, 5]);
  });

  test('five at most of a partner without a counter of events too, however many are added at once', async () => {
    const { partnerId } = await insertOldPartner(database);
    const receiver = await WebhookReceiver.open();
    const add = (number: number) =>
      addEndpoint(tools, OWNER, { partnerId, url: `${receiver.url}?number=${number}`, eventTypes: [] });
    const added = await Promise.allSettled(Array.from({ length: 10 }, (_, number) => add(number)));
    assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 5);
    const { rows } = await database.pool.query('select from webhook_endpoint where partner_id = $1', [partnerId]);
    assert.equal(rows.length, 5);
  });

  test('port 443 and those above 1023; another one when an operator allows it, which the audit keeps', async () => {
    const { partner } = await service.newPartner();
    const { partnerId } = partner;
    const receiver = await WebhookReceiver.open();
    const connect = buildConnector({});
    // The receiver is reached at another port, as behind a router.
    const toReceiver: typeof connect = (target, callback) => connect({ ...target, port: new URL(receiver.url).port }, callback);
    const client = new Agent({ connect: toReceiver });
    after(() => client.close());
    const add = (allowedPort?: number) =>
      addEndpoint({ ...tools, client }, OWNER, {
        partnerId,
        url: 'http://127.0.0.1:25/hook',
        eventTypes: [],
        ...(allowedPort !== undefined && { allowedPort }),
      });
    await assert.rejects(add(), /The URL's port is 25\b.*443.*above 1023.*--allow-port 25/);
    await assert.rejects(add(26), /The URL's port is 25\b/);
    assert.equal(receiver.challenges.length, 0);
    const { endpointId } = await add(25);
    const { rows } = await database.pool.query('select before_json, after_json from audit_entry where subject_id = $1', [
      endpointId,
    ]);
    assert.deepEqual(JSON.parse(rows[0].before_json), { allowed_port: 25 });
    assert.equal(JSON.parse(rows[0].after_json).url, 'http://127.0.0.1:25/hook');
  });

  test('one at an address, however it is written and however many are added at once; the address is not contacted again', async () => {
    const { partner, receiver, endpointId } = await withEndpoint();
    const add = (url: string, to = partner.partnerId) => addEndpoint(tools, OWNER, { partnerId: to, url, eventTypes: [] });
    const again = receiver.url.replace('http://', 'HTTP://').replace('/hook', '/./hook');
    await assert.rejects(add(again), new RegExp(`endpoint ${endpointId} already has the address`));
    assert.equal(receiver.challenges.length, 1);
    const same = await Promise.allSettled(Array.from({ length: 4 }, () => add(`${receiver.url}?same`)));
    assert.equal(same.filter(({ status }) => status === 'fulfilled').length, 1);
    // Another partner's is no second one.
    const other = await withEndpoint();
    await add(receiver.url, other.partner.partnerId);
    await removeEndpoint(database, OWNER, { partnerId: partner.partnerId, endpointId });
    await add(receiver.url);
  });

  test('a removed endpoint gets nothing more', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    await removeEndpoint(database, OWNER, { partnerId: partner.partnerId, endpointId });
    await caller.confirm();
    await untilSequenced(database, partner.partnerId, 2);
    const { rows } = await database.pool.query('select 1 from delivery where partner_id = $1', [partner.partnerId]);
    assert.deepEqual([rows.length, receiver.arrived.length], [0, 0]);
  });

  test('a disabled endpoint gets nothing until it is enabled', async () => {
    const [{ client: caller, partner, receiver, endpointId }, other] = [await withEndpoint(), await withEndpoint()];
    await disableEndpoint(database, OWNER, { partnerId: partner.partnerId, endpointId }, 'a test');
    await caller.confirm();
    await untilDeliveries(database, partner.partnerId, ([delivery]) => delivery?.status === 'held');
    // What is due of all endpoints is looked for together: this one was looked at too by then.
    await other.client.confirm();
    await other.receiver.until(1);
    assert.equal(receiver.arrived.length, 0);
    await enableEndpoint(database, OWNER, { partnerId: partner.partnerId, endpointId });
    await receiver.until(1);
  });

  test('enabled, an endpoint gets at once what would have been tried again a day later', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    const id = { partnerId: partner.partnerId, endpointId };
    receiver.answerWith(503, { 'retry-after': '86400' });
    await caller.confirm();
    await untilDeliveries(database, partner.partnerId, ([delivery]) => delivery?.attempts === 1);
    await disableEndpoint(database, OWNER, id, 'a test');
    receiver.answerWith(200);
    await enableEndpoint(database, OWNER, id);
    const [first, second] = (await receiver.until(2)) as [Arrived, Arrived];
    assert.equal(second.event.event_id, first.event.event_id);
  });

  test('while a secret rotates, for 24 hours, both sign; the new one alone once it is activated', async () => {
    const { client: caller, partner, receiver, endpointId, secret } = await withEndpoint();
    const since = await readClock(database.pool);
    const { secret: next, from } = await rotateSecret(tools, OWNER, { partnerId: partner.partnerId, endpointId });
    const overlapMs = (began: Date) => from.getTime() - began.getTime();
    assert.ok(overlapMs(since) >= DAY_MS && overlapMs(await readClock(database.pool)) <= DAY_MS, from.toISOString());
    await caller.confirm();
    await activate();
    await caller.confirm();
    const [during, afterwards] = (await receiver.until(2)) as [Arrived, Arrived];
    const verdict = ({ headers, body }: Arrived, of: string) =>
      explainSignature({
        secret: of,
        headers: headers as Record<string, string>,
        body,
        nowSeconds: Math.floor(Date.now() / 1_000),
      }).status;
    assert.equal(verdict(during, secret), 'valid');
    assert.ok(during.headers['x-service-signature-next']);
    for (const delivery of [during, afterwards]) assertPublished(delivery);
    assert.equal(verdict(afterwards, next), 'valid');
    assert.equal(afterwards.headers['x-service-signature-next'], undefined);

    async function activate(): Promise<void> {
      await receiver.until(1);
      await activateSecret(database, OWNER, { partnerId: partner.partnerId, endpointId });
    }
  });
});

async function untilStatus(partnerId: string, endpointId: string, status: string): Promise<void> {
  await waitFor(`endpoint that is ${status}`, async () => {
    const { rows } = await database.pool.query('select status from webhook_endpoint where partner_id = $1 and endpoint_id = $2', [
      partnerId,
      endpointId,
    ]);
    return rows[0]?.status === status;
  });
}
