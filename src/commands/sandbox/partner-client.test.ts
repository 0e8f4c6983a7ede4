import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { partnerClient } from './partner-client.ts';

test('a service that is busy until a time is asked again at that time, and not before', async () => {
  const until = (Math.floor(Date.now() / 1_000) + 2) * 1_000;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    if (Date.now() >= until) response.end('{"ready":true}');
    else response.writeHead(503, { 'Retry-After': new Date(until).toUTCString() }).end();
  }).listen(0, '127.0.0.1');
  after(() => void server.close());
  await once(server, 'listening');
  const client = partnerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'pi_sandbox_test');
  assert.deepEqual(await client.get<{ ready: boolean }>('/v1/sandbox/readiness', 'ready'), { ready: true });
  // A timer may end a moment early.
  assert.ok(asked <= 4, `asked ${asked} times`);
});
