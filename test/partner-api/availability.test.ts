/** Nobody takes the service away from the others. Decisions, section 6: what is shared is shared per partner. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { limitIdle } from '../../src/partner-api/http/idle-connections.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { uniqueId } from '../support/client.ts';
import type { TestPartner } from '../support/service.ts';
import { testService } from '../support/service.ts';
import { closeNow, insertLines, LINES_UNREAD, openFirst } from '../support/settlements.ts';

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

describe('connections on which nothing is asked', () => {
  const LOOK_UP = 'GET /v1/impact-transactions?partner_event_id=event-of-nobody HTTP/1.1\r\nHost: service\r\n';

  /** From this address, one after another, so that the first is the longest idle; each has been answered once. */
  const openIdle = async (baseUrl: string, from: string, count: number): Promise<Socket[]> => {
    const sockets = await openSilent(baseUrl, from, count);
    for (const socket of sockets) assert.ok(await ask(socket));
    return sockets;
  };
  const openSilent = async (baseUrl: string, from: string, count: number): Promise<Socket[]> => {
    const { hostname, port } = new URL(baseUrl);
    const sockets: Socket[] = [];
    for (let opened = 0; opened < count; opened++) {
      const socket = connect({ port: Number(port), host: hostname, localAddress: from });
      after(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      sockets.push(socket);
    }
    return sockets;
  };
  /** The head of the answer; `undefined` from a connection that was closed. */
  const ask = async (socket: Socket, apiKey = ''): Promise<string | undefined> => {
    if (socket.closed) return undefined;
    socket.write(`${LOOK_UP}X-API-Key: ${apiKey}\r\n\r\n`);
    const [answer] = await Promise.race([once(socket, 'data').catch(() => []), untilClosed(socket).then(() => [])]);
    return Buffer.isBuffer(answer) ? String(answer) : undefined;
  };
  const closed = (sockets: readonly Socket[]) =>
    Promise.all(sockets.map((socket) => socket.closed || untilClosed(socket.resume())));
  /** In whatever way: a connection may be reset while something is written to it. */
  const untilClosed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
  const countClosed = (sockets: readonly Socket[]) => sockets.filter((socket) => socket.closed).length;
  const PER_ADDRESS = 256;

  test('are bounded for an address: the longest idle end, those that carried a key and those of others stay', async () => {
    const { apiKey } = honest.key;
    const [keyed] = (await openSilent(service.baseUrl, '127.0.0.2', 1)) as [Socket];
    assert.match((await ask(keyed, apiKey)) ?? '', /^HTTP\/1\.1 404 /);
    const [other] = (await openIdle(service.baseUrl, '127.0.0.3', 1)) as [Socket];
    const idle = await openIdle(service.baseUrl, '127.0.0.2', PER_ADDRESS + 20);
    await closed(idle.slice(0, 20));
    assert.equal(countClosed(idle), 20);
    assert.match((await ask(keyed, apiKey)) ?? '', /^HTTP\/1\.1 404 /);
    assert.ok(await ask(other));
    assert.ok(await ask(idle[20] as Socket));
  });

  test('of a trusted proxy are its own affair', async () => {
    const env = { DATABASE_URL: service.databaseUrl, TRUSTED_PROXIES: '127.0.0.5' };
    const { baseUrl } = await testService({ env });
    const proxied = await openIdle(baseUrl, '127.0.0.5', PER_ADDRESS + 5);
    const idle = await openIdle(baseUrl, '127.0.0.6', PER_ADDRESS + 5);
    await closed(idle.slice(0, 5));
    assert.equal(countClosed(proxied), 0);
  });

  const listen = async (perAddress: number, inAll: number): Promise<string> => {
    const server = createServer((_request, response) => void response.end());
    const limits = { lookEveryMs: 25, perAddress: { max: perAddress, looks: 2 }, inAll: { max: inAll, looks: 2 } };
    limitIdle(server, { isExempt: () => false, limits });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  test('are idle as long as the head of a request comes byte by byte', async () => {
    const dribbling = await openSilent(await listen(5, 100), '127.0.0.4', 8);
    for (const socket of dribbling) socket.write('GET /');
    const timer = setInterval(() => {
      for (const socket of dribbling) if (socket.writable) socket.write('x');
    }, 5);
    after(() => clearInterval(timer));
    await closed(dribbling.slice(0, 3));
    clearInterval(timer);
    assert.equal(countClosed(dribbling), 3);
  });

  test('are bounded in all: connections of the addresses that have most are closed first', async () => {
    const baseUrl = await listen(5, 6);
    const few = await openSilent(baseUrl, '127.0.0.7', 2);
    const many = await openSilent(baseUrl, '127.0.0.8', 5);
    const most = await openSilent(baseUrl, '127.0.0.9', 8);
    await closed([...many.slice(0, 3), ...most.slice(0, 6)]);
    assert.deepEqual(
      [few, many, most].map((sockets) => sockets.length - countClosed(sockets)),
      [2, 2, 2],
    );
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
});

describe('slow readers of statements', () => {
  async function withStatement(count: number) {
    const made = await service.newPartner();
    const { partnerId } = made.partner;
    await openFirst(service.database, made.partner);
    const { closed } = await closeNow(service.database, partnerId);
    await insertLines(service.database, closed, count);
    return { ...made, path: `/v1/settlements/${closed.settlementId}/statement.csv?excel_safe=true` };
  }

  /** Without the rest of the answer. */
  async function statusOf({ key, path }: { key: TestPartner['key']; path: string }): Promise<number> {
    const cut = new AbortController();
    const { status } = await fetch(service.baseUrl + path, { headers: { 'x-api-key': key.apiKey }, signal: cut.signal });
    cut.abort();
    return status;
  }

  test('of one partner hold its own share, and their answers say so; another partner is served', {
    ...HANG_LIMIT,
  }, async () => {
    const [slow, other] = [await withStatement(LINES_UNREAD), await withStatement(1)];
    const request = `GET ${slow.path} HTTP/1.1\r\nHost: service\r\nX-API-Key: ${slow.key.apiKey}\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 8 }, openUnread));
    const statuses = await Promise.all(
      sockets.map(async (socket) => {
        socket.write(request);
        await once(socket, 'readable');
        return (socket.read(12) as Buffer).toString();
      }),
    );
    assert.deepEqual(statuses.sort(), [...Array(2).fill('HTTP/1.1 200'), ...Array(6).fill('HTTP/1.1 429')]);
    assert.equal((await other.client.call(other.path)).status, 200);
    for (const socket of sockets) socket.destroy();
    await waitFor('statement again', async () => (await statusOf(slow)) === 200);
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

describe('changes by a partner', () => {
  test('wait for the end of the audit, however many, and take no connection of a confirmation', HANG_LIMIT, async () => {
    const { client, partner } = await service.newPartner();
    const audit = await service.database.pool.connect();
    await audit.query('begin; select from audit_head for update');
    const changes = Array.from({ length: 60 }, () => {
      const event = { partner_event_id: uniqueId('event'), partner_order_ref: uniqueId('order'), points: 1 };
      return client.post('/v1/sandbox/failures', event);
    });
    try {
      const claims = 'select count(*)::int as n from keyed_answer where partner_id = $1';
      await waitFor('claims', async () => (await audit.query(claims, [partner.partnerId])).rows[0].n === changes.length);
      const waits =
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await waitFor('wait for the lock', async () => (await audit.query(waits)).rows[0].n > 0);
      await assertServed(honest);
    } finally {
      audit.release(true);
      await Promise.all(changes);
    }
  });
});
