/** Two hundred endpoints of which most take what they are sent and never answer (decisions, section 7, Delivery). */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { newId } from '../../src/domain/identifiers.ts';
import { attestRecord } from '../../src/operations/verification/attest-record.ts';
import { insertWebhookEndpoint } from '../../src/store/webhooks/webhook-endpoint.ts';
import { newSecret } from '../../src/webhooks/security/signature.ts';
import { OWNER } from '../support/actor.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { spawnService, type TestPartner, testService } from '../support/service.ts';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver.ts';
import { endpointTools, WEBHOOK_ENV } from '../support/webhooks/webhook-service.ts';

const HANGING = 150;
const SOUND = 50;
const ENDPOINTS_OF_ONE = 5;
/** More than an endpoint may have under way at once. */
const EVENTS_OF_HANGING = 70;
const EVENTS_OF_SOUND = 10;
/** An attempt without an answer ends after so long. */
const ANSWER_WITHIN_MS = 15_000;

const service = await testService({ env: WEBHOOK_ENV, roles: ['api'] });
const { database } = service;
const { secretBox } = endpointTools(database);

/** Receivers on a socket of their own each, which take what comes and say nothing. */
class HangingReceivers {
  readonly urls: string[] = [];
  /** Those that were sent something. */
  readonly reached = new Set<number>();
  reachedFirstAtMs = Number.POSITIVE_INFINITY;
  /** Connections that somebody gave up. */
  ended = 0;
  readonly #sockets = new Set<Socket>();
  #allReached = Promise.withResolvers<void>();

  async open(): Promise<void> {
    for (let number = 0; number < HANGING; number++) {
      const server = createServer((socket) => this.#take(number, socket)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      this.urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      after(() => server.close());
    }
    after(() => {
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  untilAllReached(): Promise<void> {
    return this.#allReached.promise;
  }

  #take(number: number, socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.ended++);
    socket.once('data', () => {
      this.reachedFirstAtMs = Math.min(this.reachedFirstAtMs, performance.now());
      if (this.reached.add(number).size === HANGING) this.#allReached.resolve();
    });
    socket.resume();
  }
}

/** Partners with five endpoints each. */
async function enter(urls: readonly string[]): Promise<TestPartner[]> {
  const partners: TestPartner[] = [];
  for (const [number, url] of urls.entries()) {
    if (number % ENDPOINTS_OF_ONE === 0) partners.push(await service.newPartner());
    const { partnerId } = (partners.at(-1) as TestPartner).partner;
    const endpointId = newId('wep');
    const secretSealed = secretBox.seal(endpointId, newSecret());
    const eventTypes = ['impact.transaction.confirmed'];
    await insertWebhookEndpoint(database.pool, { partnerId, endpointId, url, eventTypes, secretSealed });
    await attestRecord(database, OWNER, { kind: 'webhook_endpoint', id: endpointId, reason: 'made by a test' });
  }
  return partners;
}

async function confirm(partners: readonly TestPartner[], events: number): Promise<void> {
  for (const { client } of partners) await Promise.all(Array.from({ length: events }, () => client.confirm()));
}

/** @returns Whether it took less time than an attempt may: else attempts that hang may have ended, which says nothing. */
async function deliverBesideHanging(isLast: boolean): Promise<boolean> {
  const hanging = new HangingReceivers();
  await hanging.open();
  const receiver = await WebhookReceiver.open();
  const sound = await enter(Array.from({ length: SOUND }, (_, number) => `${receiver.url}?${number}`));
  await confirm(await enter(hanging.urls), EVENTS_OF_HANGING);
  const sender = await spawnService(service.databaseUrl, WEBHOOK_ENV, ['--roles', 'webhooks']);
  await hanging.untilAllReached();
  await confirm(sound, EVENTS_OF_SOUND);
  await receiver.until(SOUND * EVENTS_OF_SOUND);
  const { ended } = hanging;
  const { rows } = await database.pool.query(
    `select count(*)::int4 as hung from delivery d join webhook_endpoint e using (partner_id, endpoint_id)
    where e.url = any ($1) and d.attempts = 0`,
    [hanging.urls],
  );
  const isInTime = performance.now() - hanging.reachedFirstAtMs < ANSWER_WITHIN_MS;
  if (isInTime || isLast) assert.deepEqual([ended, rows[0].hung], [0, HANGING * EVENTS_OF_HANGING]);
  await sender.end('SIGKILL');
  await database.pool.query("update webhook_endpoint set status = 'removed' where url = any ($1)", [hanging.urls]);
  return isInTime;
}

test('the events of 50 are all delivered while not one attempt at 150 that hang has ended', HANG_LIMIT, async () => {
  // A machine that is busy enough is slower than that.
  for (const isLast of [false, false, true]) if (await deliverBesideHanging(isLast)) return;
});
