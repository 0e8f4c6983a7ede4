import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { limitRequestTime } from '../../src/partner-api/http/request-time.ts';

test('a connection whose requests are answered before their bodies arrive keeps nothing of them', async (context) => {
  const counts: number[] = [];
  const handle = limitRequestTime(
    ({ socket }, response) => {
      counts.push(socket.listenerCount('close'));
      response.writeHead(401).end();
    },
    () => assert.fail('The body is late.'),
  );
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  context.after(() => {
    socket.destroy();
    server.close();
  });
  for (const [path, headers, body] of [
    ['/v1/impact-transactions', 'Content-Length: 4', 'body'],
    ['/v1/impact-transactions', 'Transfer-Encoding: chunked', '4\r\nbody\r\n0\r\n\r\n'],
    ['/v1/settlements/one/reconciliations', 'Content-Length: 4', 'body'],
    ['/v1/impact-transactions', 'Content-Length: 4', 'body'],
  ] as const) {
    socket.write(`POST ${path} HTTP/1.1\r\nHost: service\r\n${headers}\r\n\r\n`);
    await untilAnswered(socket);
    socket.write(body);
  }
  assert.deepEqual(counts, Array(4).fill(counts[0]));
});

async function untilAnswered(socket: Socket): Promise<void> {
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 401 /);
}
