/** How long the service waits for the rest of an upload: on real connections, whose senders get an answer. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../../domain/service-error.ts';
import { StoppableUploads } from './stoppable-uploads.ts';
import type { StreamBounds } from './stream-bounds.ts';

const LONG: StreamBounds = { idleMs: 60_000, totalMs: 600_000 };

/** A server that reads what it is sent, and answers with the status of the refusal and its message, or with 200 and the number of bytes. */
async function receive(t: TestContext, uploads: StoppableUploads, bounds: StreamBounds) {
  const begun = Promise.withResolvers<void>();
  const server = createServer(async (incoming, response) => {
    let bytes = 0;
    try {
      const body = incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
      for await (const chunk of uploads.chunksOf(body, 'the list', bounds)) {
        bytes += chunk.byteLength;
        begun.resolve();
      }
      response.end(String(bytes));
    } catch (error) {
      const { status, limit, message } = error as ServiceError;
      response.writeHead(error instanceof ServiceError ? (status ?? 503) : 500, { limit: limit ?? '-' }).end(message);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, begun: begun.promise };
}

/** Sends the beginning of a body. */
function begin(port: number) {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers: { 'content-length': '1000' } });
  const answered = once(sent, 'response').then(([response]) => response as IncomingMessage);
  sent.write('x'.repeat(500));
  return { sent, answered };
}

async function textOf(response: IncomingMessage): Promise<string> {
  return (await response.toArray()).join('');
}

test('a sender who pauses for too long gets 408, not a broken connection', async (t) => {
  const { port } = await receive(t, new StoppableUploads(), { ...LONG, idleMs: 20 });
  const response = await begin(port).answered;
  assert.deepEqual([response.statusCode, response.headers['limit']], [408, 'transfer_idle']);
  assert.match(await textOf(response), /Nothing of it came for 20 ms\. Send it again under the same key\./);
});

test('so does one whose body takes too long in all', async (t) => {
  const { port } = await receive(t, new StoppableUploads(), { ...LONG, totalMs: 20 });
  const response = await begin(port).answered;
  assert.deepEqual([response.statusCode, response.headers['limit']], [408, 'transfer_long']);
});

test('one that comes in time is read whole', async (t) => {
  const { port } = await receive(t, new StoppableUploads(), LONG);
  const { sent, answered } = begin(port);
  sent.end('x'.repeat(500));
  const response = await answered;
  assert.deepEqual([response.statusCode, await textOf(response)], [200, '1000']);
});

test('a stop of the service ends the wait, and counts it', async (t) => {
  const uploads = new StoppableUploads();
  const { port, begun } = await receive(t, uploads, LONG);
  const { answered } = begin(port);
  await begun;
  assert.equal(uploads.end(), 1);
  assert.equal((await answered).statusCode, 503);
});

test('of what is left of a refused upload no more is read than the bounds say, and no stop counts it', async () => {
  const uploads = new StoppableUploads();
  let read = 0;
  const endless = async function* () {
    for (;;) {
      read++;
      yield Buffer.alloc(10);
    }
  };
  await uploads.discard(endless(), { ...LONG, bytesMax: 95 });
  assert.equal(read, 10);
  const silent = async function* () {
    yield Buffer.alloc(10);
    await new Promise(() => undefined);
  };
  await uploads.discard(silent(), { ...LONG, idleMs: 20, bytesMax: 95 });
  const discarded = uploads.discard(silent(), { ...LONG, bytesMax: 95 });
  assert.equal(uploads.end(), 0);
  await discarded;
});
