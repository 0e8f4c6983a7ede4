/** Bodies that arrive in small chunks, and those that are refused before they have arrived. Decisions, section 6. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { IN_FLIGHT_MAX } from '../../src/partner-api/limits/shedding-order.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { testService } from '../support/service.ts';
import { closeNow, openFirst } from '../support/settlements.ts';

const service = await testService();
const { key, partner, lists: LISTS } = await newPartnerWithLists();
const CONFIRM = '/v1/impact-transactions';
const CHUNKED = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' };

/** A partner with the path that takes its lists, one at a time. */
async function newPartnerWithLists() {
  const made = await service.newPartner();
  await openFirst(service.database, made.partner);
  const { closed } = await closeNow(service.database, made.partner.partnerId);
  return { ...made, lists: `/v1/settlements/${closed.settlementId}/reconciliations` };
}

function head(path: string, headers: Readonly<Record<string, string>>, apiKey?: string): string {
  const all = { Host: 'service', 'Idempotency-Key': uniqueId('key'), ...(apiKey && { 'X-API-Key': apiKey }), ...headers };
  return `POST ${path} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}

const inChunks = (pieces: Iterable<string>) =>
  [...pieces].map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
const END = '0\r\n\r\n';

/** @param options `allowHalfOpen`: a client that leaves its side open when the service has ended its own. */
async function open(options: { readonly allowHalfOpen?: boolean } = {}) {
  const socket = connect({ ...options, port: Number(new URL(service.baseUrl).port), host: '127.0.0.1' });
  let text = '';
  socket
    .setEncoding('utf8')
    .on('data', (part) => (text += part))
    .on('error', () => {});
  await once(socket, 'connect');
  return {
    socket,
    answered: (status: number, times = 1) =>
      waitFor(`answer ${status}`, async () => text.split(`HTTP/1.1 ${status} `).length > times),
    received: () => text,
  };
}

/** Also one that is reset. */
async function untilClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

/** Sends the same again and again until the connection is closed. */
async function pour(socket: Socket, bytes: string): Promise<void> {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
  await untilClosed(socket);
}

describe('a body in chunks of a byte', () => {
  test('that goes on behind the refusal of a request without a key ends the connection', HANG_LIMIT, async () => {
    const { socket, answered } = await open();
    socket.write(head(CONFIRM, CHUNKED));
    await answered(401);
    await pour(socket, inChunks('a'.repeat(1_000)));
  });

  test('of 64 KiB is refused with 413 before it has arrived, and ends the connection', HANG_LIMIT, async () => {
    const { socket, received } = await open();
    socket.write(head(CONFIRM, CHUNKED, key.apiKey));
    socket.write(inChunks('a'.repeat(65_536)));
    await untilClosed(socket);
    assert.match(received(), /^HTTP\/1\.1 413 .+"code":"invalid_request".+Content-Length/s);
  });

  test('is a confirmation like any other where it has the length of one', async () => {
    const { socket, answered } = await open();
    const body = JSON.stringify(newConfirmation());
    socket.write(head(CONFIRM, CHUNKED, key.apiKey) + inChunks(body) + END);
    await answered(201);
    socket.destroy();
  });
});

test(
  'a body in chunks of a byte between two requests of its connection leaves the next connection its body',
  HANG_LIMIT,
  async () => {
    const first = await open({ allowHalfOpen: true });
    // Its answer takes longer than the rest of the segment.
    const before = `GET /v1/partner HTTP/1.1\r\nHost: service\r\nX-API-Key: ${key.apiKey}\r\n\r\n`;
    const chunks = head(CONFIRM, CHUNKED) + inChunks('a'.repeat(1_200)) + END;
    first.socket.write(`${before}${chunks}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`);
    await first.answered(405);
    const body = JSON.stringify(newConfirmation());
    for (let next = 0; next < 3; next++) {
      const { socket, answered } = await open();
      socket.write(head(CONFIRM, { 'Content-Type': 'application/json', 'Content-Length': `${body.length}` }, key.apiKey) + body);
      await answered(next === 0 ? 201 : 409);
      socket.destroy();
    }
    first.socket.destroy();
  },
);

test('a list of 10,000 elements in chunks of seven bytes is taken, however its target is written', HANG_LIMIT, async () => {
  const list = JSON.stringify(
    Array.from({ length: 10_000 }, (_, number) => ({
      partner_event_id: `event-${number}`,
      partner_order_ref: 'order',
      points: 1,
    })),
  );
  for (const write of [
    (path: string) => path,
    (path: string) => `http://service${path}`,
    (path: string) => path.replace(/s$/, '%73'),
  ]) {
    const { key, lists } = await newPartnerWithLists();
    const { socket, answered } = await open();
    socket.write(head(write(lists), CHUNKED, key.apiKey) + inChunks(list.match(/.{1,7}/g) ?? []) + END);
    await answered(202);
    socket.destroy();
  }
});

test('a list of which each line is a chunk is taken', HANG_LIMIT, async () => {
  const { socket, answered } = await open();
  const lines = Array.from({ length: 5_000 }, (_, number) => `event-${number},order-${number},1\n`);
  socket.write(head(LISTS, { ...CHUNKED, 'Content-Type': 'text/csv' }, key.apiKey));
  socket.write(inChunks(['partner_event_id,partner_order_ref,points\n', ...lines]) + END);
  await answered(202);
  socket.destroy();
});

describe('a request that is refused before its body has arrived', () => {
  test('keeps its connection for the next one when the body is a list of 20,000 lines, each a chunk', HANG_LIMIT, async () => {
    const { key: reading } = await service.newPartner({ of: partner, key: { permission: 'read_only' } });
    const list = inChunks(Array(20_000).fill('event,order,1\n')) + END;
    for (const [status, apiKey] of [
      [401, 'pi_sandbox_revoked'],
      [403, reading.apiKey],
    ] as const) {
      const { socket, answered } = await open();
      for (const times of [1, 2]) {
        socket.write(head(LISTS, { ...CHUNKED, 'Content-Type': 'text/csv' }, apiKey) + list);
        await answered(status, times);
      }
      socket.destroy();
    }
  });

  test('gets no second answer, though the rest of its body never comes, or is malformed', async () => {
    for (const [headers, rest] of [
      [{ 'Content-Length': '100' }, ''],
      [CHUNKED, 'no chunk\r\n'],
    ] as const) {
      const { socket, answered, received } = await open();
      socket.write(head(CONFIRM, headers));
      await answered(401);
      socket.end(rest);
      await untilClosed(socket);
      assert.equal(received().split('HTTP/1.1 ').length - 1, 1, received());
    }
  });

  test('keeps its connection for the next one when the body comes later', async () => {
    for (const [headers, body] of [
      [CHUNKED, inChunks(['x'.repeat(100)]) + END],
      [CHUNKED, inChunks(Array(4_096).fill('x'.repeat(16))) + END],
      [{ 'Content-Length': '100' }, 'x'.repeat(100)],
    ] as const) {
      const { socket, answered } = await open();
      socket.write(head(CONFIRM, headers));
      await answered(401);
      socket.write(body + head(CONFIRM, headers));
      await answered(401, 2);
      socket.destroy();
    }
  });

  test('has its connection closed when the body, a list, goes on for longer than it may', HANG_LIMIT, async () => {
    const { socket, answered } = await open();
    socket.write(head(LISTS, CHUNKED));
    await answered(401);
    const timer = setInterval(() => socket.write(inChunks('a')), 100);
    await untilClosed(socket);
    clearInterval(timer);
  });

  test('under overload has its connection closed when the body does not come', HANG_LIMIT, async () => {
    const { key, client, lists } = await newPartnerWithLists();
    const late = { 'Content-Type': 'application/json', 'Content-Length': '100' };
    const underWay = await Promise.all(Array.from({ length: IN_FLIGHT_MAX.report }, () => open()));
    for (const { socket } of underWay) socket.write(head(CONFIRM, late, key.apiKey));
    await waitFor('overload', async () => (await client.listEvents()).status === 503);
    const { socket, answered } = await open();
    socket.write(head(lists.replace('reconciliations', 'acknowledgement'), late, key.apiKey));
    await answered(503);
    await untilClosed(socket);
    for (const each of underWay) each.socket.destroy();
  });

  test('has its connection closed when the body does not come', HANG_LIMIT, async () => {
    const { socket, answered, received } = await open();
    socket.write(head(CONFIRM, { 'Content-Length': '100' }));
    await answered(401);
    await untilClosed(socket);
    assert.equal(received().split('HTTP/1.1 ').length, 2, received());
  });
});
