/** Connections of an address without a valid key leave the time to the others. Decision 0073. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Limit } from '../../src/domain/limit-names.ts';
import { suspectConnections } from '../../src/partner-api/http/suspect-connections.ts';
import { testService } from '../support/service.ts';

const REQUEST = 'GET /v1/events HTTP/1.1\r\nHost: service\r\n\r\n';

function open(baseUrl: string, from: string): Socket {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, localAddress: from });
  after(() => socket.destroy());
  return socket.on('error', () => {});
}

/** The status of the answer; `closed` when none came before the connection's end. */
async function ask(socket: Socket): Promise<string> {
  socket.write(REQUEST);
  const answer = once(socket, 'data').catch(() => []);
  const [data] = await Promise.race([answer, new Promise<[]>((resolve) => socket.once('close', () => resolve([])))]);
  return Buffer.isBuffer(data) ? String(data).slice(9, 12) : 'closed';
}

test('a request that came while its connection waited is answered', async () => {
  const { baseUrl } = await testService();
  const answers = await Promise.all(Array.from({ length: 400 }, () => ask(open(baseUrl, '127.0.0.20'))));
  assert.deepEqual(
    answers.filter((status) => status !== '401' && status !== '429'),
    [],
  );
});

describe('while nothing is taken of what waits', () => {
  const hits: Limit[] = [];
  const suspects = new Set<string>();
  const isSuspect = (address: string) => suspects.has(address);
  const limits = { openedMax: 3, takenInATurn: 0, waitingMax: 2 };
  const connections = suspectConnections({ isSuspect }, (limit) => hits.push(limit), limits);
  const trusted = new Set<string>();
  const server = connections.defer(
    createServer((request, response) => {
      if (trusted.has(request.socket.remoteAddress ?? '')) connections.trust(request.socket);
      response.end();
    }),
  );
  let baseUrl = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  test('an address waits with what it opens beyond three; a valid key on one of the three takes the others at once', async () => {
    const first = open(baseUrl, '127.0.0.21');
    assert.deepEqual([await ask(first), await ask(open(baseUrl, '127.0.0.21'))], ['200', '200']);
    assert.equal(await ask(open(baseUrl, '127.0.0.21')), '200');
    const waiting = [ask(open(baseUrl, '127.0.0.21')), ask(open(baseUrl, '127.0.0.21'))];
    assert.equal(await ask(open(baseUrl, '127.0.0.22')), '200');
    trusted.add('127.0.0.21');
    assert.equal(await ask(first), '200');
    assert.deepEqual(await Promise.all(waiting), ['200', '200']);
    assert.equal(await ask(open(baseUrl, '127.0.0.21')), '200');
  });

  test('an address that sent too many wrong keys waits with all; of more than two that wait the next is closed and counted', async () => {
    const known = open(baseUrl, '127.0.0.23');
    assert.equal(await ask(known), '200');
    suspects.add('127.0.0.23');
    const waiting = [open(baseUrl, '127.0.0.23'), open(baseUrl, '127.0.0.23')];
    await Promise.all(waiting.map((socket) => once(socket, 'connect')));
    const answers = waiting.map(ask);
    assert.deepEqual([await ask(open(baseUrl, '127.0.0.23')), hits], ['closed', ['connection_suspect']]);
    assert.equal(await ask(open(baseUrl, '127.0.0.24')), '200');
    // The wrong keys of its address do not refuse a valid one.
    trusted.add('127.0.0.23');
    assert.equal(await ask(known), '200');
    assert.deepEqual(await Promise.all(answers), ['200', '200']);
  });
});
