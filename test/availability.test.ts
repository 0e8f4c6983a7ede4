/** Nobody takes the service away from the others. Decisions, section 6: what is shared is shared per partner. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneAtATime } from '../src/partner-api/connection-queue.ts';
import { InFlight } from '../src/partner-api/in-flight.ts';
import type { TestPartner } from './support/service.ts';
import { testService } from './support/service.ts';

const service = await testService();
const honest = await service.newPartner();

/** A connection whose answers nobody reads. */
async function openUnread(): Promise<Socket> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the service has taken the bytes or has cut the connection. */
function sendWhole(socket: Socket, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
    socket.write(bytes, () => resolve());
  });
}

async function assertServed({ client }: TestPartner): Promise<void> {
  const confirmed = await client.confirm();
  assert.equal(confirmed.status, 201, confirmed.text);
  const { partner_event_id: eventId } = confirmed.body.contribution;
  assert.equal((await client.findByEvent(eventId)).status, 200);
  assert.equal((await client.estimate()).status, 201);
  assert.equal((await client.listEvents()).status, 200);
}

describe('connections without a key', () => {
  test('pipelined requests whose answers nobody reads refuse nobody else', async () => {
    const request = 'GET /v1/impact-transactions?partner_event_id=event-of-nobody HTTP/1.1\r\nHost: service\r\n\r\n';
    const sockets = await Promise.all(Array.from({ length: 4 }, openUnread));
    await Promise.all(sockets.map((socket) => sendWhole(socket, request.repeat(8_000))));
    await assertServed(honest);
  });
});

describe('connections of one partner', () => {
  test('requests without their bodies refuse nobody else', async () => {
    const { key } = await service.newPartner();
    const head = `POST /v1/impact-transactions HTTP/1.1\r\nHost: service\r\nX-API-Key: ${key.apiKey}\r\nIdempotency-Key: key-of-nobody\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 700 }, openUnread));
    await Promise.all(sockets.map((socket) => sendWhole(socket, head)));
    await assertServed(honest);
  });

  test('its whole requests count for others with 128 at most', () => {
    const inFlight = new InFlight();
    const requests = Array.from({ length: 1_000 }, () => inFlight.begin('busy', true));
    requests.push(inFlight.begin('busy', false));
    assert.deepEqual([inFlight.countFor('busy'), inFlight.countFor('other'), inFlight.countFor(undefined)], [1_001, 128, 128]);
    for (const request of requests) inFlight.end(request);
    assert.deepEqual([inFlight.countFor('busy'), inFlight.countFor('other')], [0, 0]);
  });
});

describe('an answer that nobody takes', () => {
  const MEGABYTES_50 = Buffer.alloc(50 << 20);

  const serve = async () => {
    const limits = { stalledMs: 300, lookEveryMs: 50 };
    const server = createServer(oneAtATime((_request, response) => void response.end(MEGABYTES_50), limits));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    reader.on('error', () => {});
    after(() => reader.destroy());
    reader.write('GET / HTTP/1.1\r\nHost: service\r\n\r\n');
    const [connection] = await accepted;
    return { connection, reader };
  };

  test('is given up, and its connection with it', async () => {
    const { connection } = await serve();
    await once(connection, 'close');
    assert.ok(connection.bytesWritten > 0);
  });

  test('a slow reader gets it whole', async () => {
    const { reader } = await serve();
    let bytes = 0;
    let chunks = 0;
    for await (const chunk of reader) {
      bytes += chunk.length;
      chunks += 1;
      if (chunks % 8 === 0) await sleep(1);
      if (bytes > MEGABYTES_50.length) break;
    }
    assert.ok(bytes > MEGABYTES_50.length);
  });
});

test('a connection whose answers move on is served to its end, request after request', async () => {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  const request = 'GET /v1/impact-transactions?partner_event_id=event-of-nobody HTTP/1.1\r\nHost: service\r\n';
  socket.write([...Array(9).fill(request), `${request}Connection: close\r\n`].map((head) => `${head}\r\n`).join(''));
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => (received += text));
  await once(socket, 'close');
  assert.equal(received.split('HTTP/1.1 401').length - 1, 10);
});
