import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { HANG_LIMIT } from '../../../test/support/assertions/hang-limit.ts';
import { waitFor } from '../../../test/support/assertions/wait-for.ts';
import { listen } from './listen.ts';

describe('connections', () => {
  const CONNECTIONS = 64;
  const TURNS = 8;

  test('many are taken in one turn of the event loop, so that a busy process does not let them wait', async () => {
    const app = fastify();
    const { baseUrl, countConnections, close } = await listen(app, { host: '127.0.0.1', port: 0 });
    const port = Number(new URL(baseUrl).port);
    const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1'));
    for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    const taken = await countConnections();
    for (const socket of sockets) socket.destroy();
    await close();
    // One a turn is what Node takes from one socket.
    assert.ok(taken > 3 * TURNS, `${taken} of ${CONNECTIONS} in ${TURNS} turns`);
  });

  test('a close waits for the requests on all of them', async () => {
    const app = fastify();
    const arrived: (() => void)[] = [];
    app.get('/', () => new Promise<string>((resolve) => arrived.push(() => resolve('done'))));
    const { baseUrl, close } = await listen(app, { host: '127.0.0.1', port: 0 });
    const answers = Array.from({ length: 32 }, async () => (await fetch(baseUrl, { headers: { connection: 'close' } })).text());
    await waitFor('last request', () => arrived.length >= answers.length);
    const closed = close();
    let isClosed = false;
    void closed.then(() => (isClosed = true));
    await sleep(50);
    assert.equal(isClosed, false);
    for (const answer of arrived) answer();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set(['done']));
    await closed;
  });

  test(
    'a close waits for none on which no request is under way: silent, with half of a head, or answered',
    HANG_LIMIT,
    async () => {
      const app = fastify();
      app.get('/', async () => 'done');
      const { baseUrl, countConnections, close } = await listen(app, { host: '127.0.0.1', port: 0 });
      const whole = 'GET / HTTP/1.1\r\nHost: service\r\n\r\n';
      const sent = ['', whole.slice(0, 20), whole];
      const sockets = sent.map((text) => {
        const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1').on('error', () => {});
        socket.write(text);
        return socket;
      });
      await once(sockets[2] as Socket, 'data');
      await waitFor('three connections', async () => (await countConnections()) === 3);
      await close();
    },
  );

  test('none is taken where one of the sockets cannot be opened', async () => {
    const app = fastify();
    const addresses = app.addresses.bind(app);
    let port = 0;
    app.addresses = () => {
      const opened = addresses() as AddressInfo[];
      port = opened[0]?.port ?? 0;
      // Of a network for documents: no machine has it.
      return [...opened, { address: '192.0.2.1', family: 'IPv4', port }];
    };
    await assert.rejects(listen(app, { host: '127.0.0.1', port: 0 }), { code: 'EADDRNOTAVAIL' });
    const socket = connect(port, '127.0.0.1');
    const outcome = new Promise((resolve) => socket.once('connect', resolve).once('error', resolve));
    assert.match(String(await outcome), /ECONNREFUSED/);
  });
});
