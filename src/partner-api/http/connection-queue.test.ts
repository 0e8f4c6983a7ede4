import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { oneAtATime } from './connection-queue.ts';

describe('an answer that nobody takes', () => {
  const MEGABYTES_50 = Buffer.alloc(50 << 20);

  const serve = async (stalledMs: number) => {
    const limits = { stalledMs, lookEveryMs: 50 };
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
    const { connection } = await serve(300);
    await once(connection, 'close');
    assert.ok(connection.bytesWritten > 0);
  });

  test('a slow reader gets it whole', async () => {
    // Longer than anything else here keeps it from reading, and shorter than its pauses together.
    const { reader } = await serve(1_000);
    let bytes = 0;
    let chunks = 0;
    for await (const chunk of reader) {
      bytes += chunk.length;
      chunks += 1;
      if (chunks % 8 === 0) await sleep(15);
      if (bytes > MEGABYTES_50.length) break;
    }
    assert.ok(bytes > MEGABYTES_50.length);
  });
});

test('of what is pipelined beyond the bound nothing more is read', async () => {
  let read = 0;
  const server = createServer(oneAtATime(() => {})).on('request', () => read++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const cut = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  socket.resume().write('GET / HTTP/1.1\r\nHost: service\r\n\r\n'.repeat(1_000));
  await cut;
  assert.equal(read, 1 + 16 + 1, 'the one under way, those that wait, and the one that is too many');
});

test('behind the last answer of a connection no request begins: nobody would learn of its end', async () => {
  const begun: string[] = [];
  const handle = oneAtATime(async (request, response) => {
    begun.push(request.url ?? '');
    await untilSecondWaits;
    response.shouldKeepAlive = false;
    response.end();
  });
  let secondWaits = () => {};
  const untilSecondWaits = new Promise<void>((resolve) => {
    secondWaits = resolve;
  });
  const server = createServer(handle).on('request', ({ url }) => url === '/second' && secondWaits());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed = once(socket, 'close');
  socket.resume().write(['/first', '/second'].map((path) => `GET ${path} HTTP/1.1\r\nHost: service\r\n\r\n`).join(''));
  await closed;
  assert.deepEqual(begun, ['/first']);
});
