/** What becomes of a delivery when receivers and senders fail (decisions, section 7, Delivery). */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { ATTEMPTS_MAX, retryDelayMs } from '../../src/domain/webhooks/retry-schedule.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import type { Database } from '../../src/store/database.ts';
import { NodeReader } from '../../src/store/node-reader.ts';
import { listDeliveryAttempts } from '../../src/store/webhooks/attempt-log.ts';
import { claimDeliveries } from '../../src/store/webhooks/delivery.ts';
import type { LoggedDelivery } from '../../src/store/webhooks/delivery-log.ts';
import { listWebhookEndpoints } from '../../src/store/webhooks/webhook-endpoint.ts';
import { makeMissingCounters } from '../../src/webhooks/delivery/healing.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { getDelivery } from '../../src/webhooks/endpoints/manage-delivery.ts';
import { disableEndpoint, enableEndpoint } from '../../src/webhooks/endpoints/manage-endpoint.ts';
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { insertOldPartner } from '../support/records.ts';
import { spawnService, testService, testServiceProcesses } from '../support/service.ts';
import { type Arrived, expectedSignature, WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, makeDue, newEndpoint, untilDeliveries, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

let aheadMs = 0;
const clock = () => Date.now() + aheadMs;
const service = await testService({ env: WEBHOOK_ENV, clock });
const { database } = service;
const tools = endpointTools(database, clock);
const withEndpoint = (eventTypes: readonly string[] = []) => newEndpoint(service, tools, eventTypes);

const ALWAYS = new Date(0);
/** The most attempts under way at an endpoint. */
const IN_FLIGHT_MAX = 64;

async function secondsToNextAttempt({ pool }: Database, partnerId: string): Promise<number> {
  const { rows } = await pool.query(
    'select extract(epoch from next_attempt_at - now())::float8 as seconds from delivery where partner_id = $1',
    [partnerId],
  );
  return rows[0].seconds;
}

/** The newest delivery has an attempt: a machine that is busy for seconds makes another one. */
const isAttempted = ([newest]: readonly LoggedDelivery[]): boolean => (newest?.attempts ?? 0) >= 1;

/** From the end of the last attempt to the next, once an attempt is recorded and no other is under way. */
async function lastDelay({ pool }: Database, partnerId: string) {
  const { id, attempts, at, isDue } = await waitFor('delivery between two attempts', async () => {
    const { rows } = await pool.query<{ id: string; attempts: number; at: Date; isDue: boolean }>(
      `select delivery_id as id, attempts::int4 as attempts, next_attempt_at as at, next_attempt_at <= now() as "isDue"
       from delivery where partner_id = $1 and attempts > 0 and lease = attempts`,
      [partnerId],
    );
    return rows[0];
  });
  const log = await listDeliveryAttempts(pool, partnerId, id);
  const { startedAt, milliseconds } = log[attempts - 1] as (typeof log)[number];
  return { attempts, delayMs: at.getTime() - startedAt.getTime() - milliseconds, isDue };
}

describe('the next attempt', HANG_LIMIT, () => {
  const cases: [answer: string, status: number, headers: Record<string, string>, askedSeconds: number | undefined][] = [
    ['500', 500, {}, undefined],
    ['429 with Retry-After: what it asks for', 429, { 'retry-after': '120' }, 120],
    ['503 with Retry-After beyond a day: a day', 503, { 'retry-after': '9999999' }, 86_400],
    ['404 with Retry-After, which only 429 and 503 may ask for', 404, { 'retry-after': '120' }, undefined],
  ];
  for (const [answer, status, headers, askedSeconds] of cases) {
    test(`lies by the schedule after ${answer}`, async () => {
      const { client: caller, partner, receiver } = await withEndpoint();
      receiver.answerWith(status, headers);
      await caller.confirm();
      const { attempts, delayMs, isDue } = await lastDelay(database, partner.partnerId);
      // On a busy machine it may be the one after a later attempt.
      const spread = [0, 1].map((fraction) =>
        retryDelayMs(ATTEMPTS_MAX - attempts, askedSeconds && askedSeconds * 1_000, fraction),
      ) as [number, number];
      // What is recorded after the delay is over is due at once.
      assert.ok(delayMs >= spread[0] && (delayMs <= spread[1] || isDue), `${delayMs} ms after attempt ${attempts}`);
    });
  }

  test('ten minutes later is signed anew: a receiver that allows five minutes takes it', async () => {
    const { client: caller, partner, receiver, secret } = await withEndpoint();
    receiver.answerWith(500);
    await caller.confirm();
    await untilDeliveries(database, partner.partnerId, isAttempted);
    const [first] = receiver.arrived as [Arrived];
    aheadMs = 600_000;
    try {
      receiver.answerWith(200);
      await makeDue(database, partner.partnerId);
      assert.equal(isFresh(first), false);
      // An attempt between the two, on a busy machine, is as old as the first.
      const second = await waitFor('attempt that is signed anew', () => receiver.arrived.find(isFresh));
      assert.equal(second.headers['x-service-signature'], expectedSignature(secret, second));
      assert.deepEqual(second.body, first.body);
    } finally {
      aheadMs = 0;
    }
  });
});

test('a rotation after one whose overlap ended by itself: the retired secret signs nothing any more', HANG_LIMIT, async () => {
  const { client: caller, partner, receiver, endpointId } = await withEndpoint();
  const second = await rotateSecret(tools, OWNER, { partnerId: partner.partnerId, endpointId });
  await database.pool.query("update webhook_endpoint set next_secret_from = now() - interval '1 hour' where endpoint_id = $1", [
    endpointId,
  ]);
  await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: endpointId, reason: 'the overlap is over' });
  const id = { partnerId: partner.partnerId, endpointId };
  const third = await rotateSecret(tools, OWNER, id);
  await assert.rejects(rotateSecret(tools, OWNER, id), /--replace/);
  await caller.confirm();
  const [arrived] = (await receiver.until(1)) as [Arrived];
  assert.equal(arrived.headers['x-service-signature'], expectedSignature(second.secret, arrived));
  assert.equal(arrived.headers['x-service-signature-next'], expectedSignature(third.secret, arrived));
});

function isFresh({ headers }: Arrived): boolean {
  return Math.abs(clock() / 1_000 - Number(headers['x-service-timestamp'])) <= 300;
}

test('openssl and the published verifier verify a real delivery', HANG_LIMIT, async () => {
  const { client: caller, receiver, secret } = await withEndpoint();
  await caller.confirm({ points: 9_223_372_036_854_775_807n });
  const [{ headers, body }] = (await receiver.until(1)) as [Arrived];
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-openssl-'));
  after(() => rmSync(folder, { recursive: true }));
  const signed = join(folder, 'signed');
  writeFileSync(signed, Buffer.concat([Buffer.from(`${headers['x-service-timestamp']}.`), body]));
  const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret, signed], { encoding: 'utf8' });
  assert.equal(headers['x-service-signature'], `v1=${printed.trim().split('= ')[1]}`);
  new Webhook(secret).verify(body, headers as Record<string, string>);
  const altered = Buffer.from(body.toString().replace('confirmed', 'confirmeD'));
  assert.throws(() => new Webhook(secret).verify(altered, headers as Record<string, string>));
});

describe('whoever answers', HANG_LIMIT, () => {
  test('with a redirect is not followed', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    const inside = await WebhookReceiver.open();
    receiver.answerWith(307, { location: inside.url });
    await caller.confirm();
    const [delivery] = await untilDeliveries(database, partner.partnerId, isAttempted);
    const [attempt] = await listDeliveryAttempts(database.pool, partner.partnerId, delivery?.deliveryId as string);
    assert.deepEqual([attempt?.status, inside.arrived.length], [307, 0]);
  });

  test('with 103 again and again, and nothing else, fails the attempt as `endless`', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    receiver.answer = (response) => {
      for (let sent = 0; sent < 20; sent++) response.writeEarlyHints({ link: '</a>; rel=preload' });
    };
    await caller.confirm();
    const [delivery] = await untilDeliveries(database, partner.partnerId, isAttempted);
    const [attempt] = await listDeliveryAttempts(database.pool, partner.partnerId, delivery?.deliveryId as string);
    assert.deepEqual([attempt?.status, attempt?.errorClass, delivery?.status], [null, 'endless', 'waiting']);
  });

  test('2xx and then an endless body has it delivered; 2 KiB are kept, without what a terminal or the database would choke on', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    receiver.answer = (response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write(`\0${'a'.repeat(1_023)}`));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    await caller.confirm();
    const [delivery] = await untilDeliveries(database, partner.partnerId, ([first]) => first?.status === 'delivered');
    const [attempt] = await listDeliveryAttempts(database.pool, partner.partnerId, delivery?.deliveryId as string);
    assert.equal(attempt?.excerpt, 'a'.repeat(2_046));
  });

  test('an answer that does not come, on a connection that is cut, is recorded as another failure than a refusal', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    receiver.answer = (response) => void response.socket?.destroy();
    await caller.confirm();
    const [delivery] = await untilDeliveries(database, partner.partnerId, isAttempted);
    const { log } = await getDelivery(database, partner.partnerId, delivery?.deliveryId as string);
    assert.deepEqual([log[0]?.status, log[0]?.errorClass], [null, 'reset']);
  });
});

describe('an endpoint that fails on and on', HANG_LIMIT, () => {
  test('the circuit opens after 20 failures in a row; then one delivery tests the endpoint, and uses up no attempt of the others', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    receiver.answerWith(500);
    await Promise.all(Array.from({ length: 30 }, () => caller.confirm()));
    // How many get through before it opens depends on how many are under way at once. A lease ends later than the circuit closes.
    await untilDeliveries(database, partner.partnerId, (all) => all.length === 30 && sumOfAttempts(all) >= 20);
    const [{ failuresInRow, breakerTrips, breakerOpenUntil }] = await health(partner.partnerId);
    await untilDeliveries(database, partner.partnerId, (all) =>
      all.every(({ nextAttemptAt }) => nextAttemptAt <= (breakerOpenUntil as Date)),
    );
    assert.ok(failuresInRow >= 20 && breakerTrips >= 1 && breakerOpenUntil !== null);
    const before = receiver.arrived.length;
    await makeDue(database, partner.partnerId);
    await untilBreakerTrips(partner.partnerId, breakerTrips + 1);
    assert.equal(receiver.arrived.length, before + 1, 'one probe, and nothing else');
    receiver.answerWith(200);
    await makeDue(database, partner.partnerId);
    await untilDeliveries(database, partner.partnerId, (all) => all.every(({ status }) => status === 'delivered'));
    assert.deepEqual((await health(partner.partnerId))[0], { failuresInRow: 0, breakerTrips: 0, breakerOpenUntil: null });
    assert.equal(endpointId.slice(0, 4), 'wep_');
  });

  test('the circuit is open for 30 s the first time, however many attempts were under way', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    await Promise.all(Array.from({ length: 64 }, () => caller.confirm()));
    await receiver.until(48);
    const beforeMs = Date.now();
    for (let answered = 1; held.length > 0; answered++) {
      held.shift()?.writeHead(500).end();
      // Each is written down for itself.
      await untilDeliveries(database, partner.partnerId, (all) => sumOfAttempts(all) >= answered);
    }
    const [{ failuresInRow, breakerTrips, breakerOpenUntil }] = await health(partner.partnerId);
    assert.ok(failuresInRow >= 48, `${failuresInRow} failures`);
    assert.equal(breakerTrips, 1);
    const untilMs = Number(breakerOpenUntil);
    const isFor30s = untilMs >= beforeMs + 30_000 && untilMs <= Date.now() + 30_000;
    assert.ok(isFor30s, `open until ${breakerOpenUntil?.toISOString()}`);
  });

  test('is disabled after five days without a success, and enabling it forgets its failures', async () => {
    const { client: caller, partner, receiver, endpointId } = await withEndpoint();
    receiver.answerWith(500);
    await database.pool.query(
      "update endpoint_health set failures_in_row = 10, failing_since = now() - interval '5 days' where partner_id = $1",
      [partner.partnerId],
    );
    await caller.confirm();
    await untilDeliveries(database, partner.partnerId, ([delivery]) => delivery?.status === 'held');
    receiver.answerWith(200);
    await enableEndpoint(database, OWNER, { partnerId: partner.partnerId, endpointId });
    await untilDeliveries(database, partner.partnerId, ([delivery]) => delivery?.status === 'delivered');
    const [endpoint] = await listWebhookEndpoints(database.pool, partner.partnerId);
    assert.deepEqual([endpoint?.status, endpoint?.failingSince], ['active', null]);
  });

  function sumOfAttempts(deliveries: readonly LoggedDelivery[]): number {
    return deliveries.reduce((sum, { attempts }) => sum + attempts, 0);
  }

  async function health(partnerId: string) {
    const endpoints = await listWebhookEndpoints(database.pool, partnerId);
    return endpoints.map(({ failuresInRow, breakerTrips, breakerOpenUntil }) => ({
      failuresInRow,
      breakerTrips,
      breakerOpenUntil,
    })) as [{ failuresInRow: number; breakerTrips: number; breakerOpenUntil: Date | null }];
  }

  async function untilBreakerTrips(partnerId: string, trips: number): Promise<void> {
    await waitFor(`circuit that opened ${trips} times`, async () => (await health(partnerId))[0].breakerTrips >= trips);
  }
});

test('nothing is claimed once the circuit has opened, however due it was when the endpoint was listed', async () => {
  const { client: caller, partner, endpointId } = await withEndpoint();
  const { partnerId } = partner;
  await disableEndpoint(database, OWNER, { partnerId, endpointId }, 'Only the test sends.');
  await caller.confirm();
  await untilDeliveries(database, partnerId, ([first]) => first?.status === 'held');
  const client = await database.pool.connect();
  try {
    // The service, which may still have the delivery in hand, sees nothing of this transaction.
    await client.query('begin');
    const due = "update delivery set status = 'waiting', next_attempt_at = now() - interval '1 second' where partner_id = $1";
    await client.query(due, [partnerId]);
    const claimedWhileOpenFor = async (interval: string) => {
      const open = 'update endpoint_health set breaker_open_until = now() + $2::interval where partner_id = $1';
      assert.equal((await client.query(open, [partnerId, interval])).rowCount, 1);
      const endpoint = { partnerId, endpointId, dueFrom: ALWAYS };
      return (await claimDeliveries(client, endpoint, { limit: 1, leaseMs: 60_000 })).deliveries.length;
    };
    assert.equal(await claimedWhileOpenFor('1 minute'), 0);
    assert.equal(await claimedWhileOpenFor('-1 second'), 1);
    await client.query('rollback');
  } finally {
    client.release();
  }
});

test('a receiver that hangs takes nothing from the others', HANG_LIMIT, async () => {
  const [hanging, sound] = [await withEndpoint(), await withEndpoint()];
  const held: ServerResponse[] = [];
  hanging.receiver.answer = (response) => void held.push(response);
  await Promise.all(Array.from({ length: 100 }, () => hanging.client.confirm()));
  await hanging.receiver.until(48);
  await Promise.all(Array.from({ length: 100 }, () => sound.client.confirm()));
  await sound.receiver.until(100);
  assert.ok(hanging.receiver.arrived.length <= 64, 'no more than its places');
  for (const response of held) response.end();
});

describe('whoever sends', HANG_LIMIT, () => {
  test('is killed: another process delivers the same event, with the same bytes, once the lease is over', async () => {
    const killed = await testServiceProcesses(1, WEBHOOK_ENV);
    const { client: caller, partner, receiver } = await newEndpoint(killed, endpointTools(killed.database));
    receiver.hang();
    await caller.confirm();
    await receiver.until(1);
    await killed.processes[0]?.end('SIGKILL');
    const [first] = receiver.arrived as [Arrived];
    const seconds = await secondsToNextAttempt(killed.database, partner.partnerId);
    assert.ok(seconds > 0 && seconds <= 60, `${seconds} s to the end of the lease`);
    receiver.answerWith(200);
    await spawnService(killed.databaseUrl, WEBHOOK_ENV);
    await makeDue(killed.database, partner.partnerId);
    await untilDeliveries(killed.database, partner.partnerId, ([delivery]) => delivery?.status === 'delivered');
    const second = receiver.arrived.at(-1) as Arrived;
    assert.equal(second.headers['x-service-event-id'], first.headers['x-service-event-id']);
    assert.deepEqual(second.body, first.body);
  });

  test('is stopped while a receiver does not answer: it ends in order, and the attempt counts for nothing', async () => {
    const stopped = await testServiceProcesses(1, WEBHOOK_ENV);
    const { client: caller, partner, receiver } = await newEndpoint(stopped, endpointTools(stopped.database));
    receiver.hang();
    await caller.confirm();
    await receiver.until(1);
    assert.equal(await stopped.processes[0]?.end('SIGTERM'), 0);
    const [delivery] = await untilDeliveries(stopped.database, partner.partnerId, () => true);
    assert.deepEqual([delivery?.status, delivery?.attempts], ['waiting', 0]);
    const [endpoint] = await listWebhookEndpoints(stopped.database.pool, partner.partnerId);
    assert.equal(endpoint?.failuresInRow, 0);
  });

  test('comes back after its lease has gone to another: its attempt is logged, and changes nothing', async () => {
    const { client: caller, partner, receiver } = await withEndpoint();
    let late: ServerResponse | undefined;
    receiver.answer = (response) => {
      late = response;
    };
    await caller.confirm();
    await receiver.until(1);
    receiver.answerWith(200);
    await makeDue(database, partner.partnerId);
    await untilDeliveries(database, partner.partnerId, ([delivery]) => delivery?.status === 'delivered');
    late?.writeHead(500).end();
    const [delivery] = await untilDeliveries(database, partner.partnerId, () => true);
    const attempts = await waitFor('second attempt', async () => {
      const made = await listDeliveryAttempts(database.pool, partner.partnerId, delivery?.deliveryId as string);
      return made.length >= 2 && made;
    });
    assert.deepEqual(
      attempts.map(({ number, status }) => [Number(number), status]),
      [
        [1, 500],
        [2, 200],
      ],
    );
    const { status, attempts: counted } = await getDelivery(database, partner.partnerId, delivery?.deliveryId as string);
    assert.deepEqual([status, counted], ['delivered', 1]);
  });
});

test(
  'a delivery that was made again while its event was removed goes with it, and an event whose body cannot be written or read holds up no other',
  HANG_LIMIT,
  async () => {
    const { client: caller, partner, endpointId, receiver } = await withEndpoint();
    const { partnerId } = partner;
    await disableEndpoint(database, OWNER, { partnerId, endpointId }, 'Until all are there.');
    for (let confirmed = 0; confirmed < 5; confirmed++) await caller.confirm();
    await untilDeliveries(database, partnerId, (all) => all.length === 5);
    await database.pool.query('delete from event where partner_id = $1 and sequence = 2', [partnerId]);
    await database.pool.query(
      "update event set subject_id = 'txn_nothing', body_values = null where partner_id = $1 and sequence = 3",
      [partnerId],
    );
    await database.pool.query("update event set body_values = '[2]' where partner_id = $1 and sequence = 5", [partnerId]);
    await database.pool.query(
      "update event set body_values = null, packed_body = '\\xff' where partner_id = $1 and sequence = 6",
      [partnerId],
    );
    await enableEndpoint(database, OWNER, { partnerId, endpointId });
    const [arrived] = (await receiver.until(1)) as [Arrived];
    assert.equal(JSON.parse(arrived.body.toString()).sequence, 4);
    await untilDeliveries(database, partnerId, (all) => all.length === 4);
  },
);

test('what is claimed for an endpoint that is disabled is returned, although the secret of another one cannot be read', {
  ...HANG_LIMIT,
}, async () => {
  const [locked, disabled] = [await withEndpoint(), await withEndpoint()];
  for (const { client: caller, receiver } of [locked, disabled]) {
    receiver.hang();
    await Promise.all(Array.from({ length: IN_FLIGHT_MAX + 6 }, () => caller.confirm()));
    await receiver.until(IN_FLIGHT_MAX);
  }
  await database.pool.query(
    "update webhook_endpoint set secret_sealed = replace(secret_sealed, 'v1.test.', 'v1.lost.') where endpoint_id = $1",
    [locked.endpointId],
  );
  await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: locked.endpointId, reason: 'a key is lost' });
  await disableEndpoint(database, OWNER, { partnerId: disabled.partner.partnerId, endpointId: disabled.endpointId }, 'by a test');
  for (const { endpointId } of [locked, disabled])
    await waitFor('deliveries that nobody owns', async () => {
      const { rows } = await database.pool.query(
        "select count(*)::int4 as n from delivery where endpoint_id = $1 and status = 'waiting' and next_attempt_at <= now()",
        [endpointId],
      );
      return rows[0].n === 6;
    });
  assert.equal(disabled.receiver.arrived.length, IN_FLIGHT_MAX);
});

test('a partner whose counter is missing, as an older version leaves it, gets its events all the same', HANG_LIMIT, async () => {
  const { client: caller, partner } = await service.newPartner({ of: await insertOldPartner(database) });
  const receiver = await WebhookReceiver.open();
  await addEndpoint(tools, OWNER, { partnerId: partner.partnerId, url: receiver.url, eventTypes: [] });
  await caller.confirm();
  await makeMissingCounters(database, new NodeReader(database));
  await receiver.until(1);
});
