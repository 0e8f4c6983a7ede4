/** The receiver of the SDK: what it accepts, and how it stands in a server. What it refuses and its inboxes have files of their own. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, describe, test } from 'node:test';
import fastify from 'fastify';
import { Webhook } from 'standardwebhooks';
import {
  ConfigurationError,
  EventsRemovedError,
  expressHandler,
  fastifyPlugin,
  type Inbox,
  MemoryInbox,
  nodeHandler,
  PartnerImpact,
  stringifyExactJson,
} from '../../sdk/src/index.ts';
import { confirmedEvent, failedEvent, signedRequest } from '../../sdk/src/testing.ts';
import {
  changed,
  feedOf,
  NEXT_SECRET,
  NOW_SECONDS,
  newReceiver,
  ownOnly,
  SECRET,
  send,
  signed,
  standardOnly,
} from '../support/sdk/receiver.ts';

describe('accepts', () => {
  test('the known answer of the contract', async () => {
    const secret = 'whsec_test_0123456789abcdef0123456789abcdef';
    const body =
      '{"event_id":"evt_01JTEST0000000000000000001","event_type":"impact.transaction.confirmed","points":9223372036854775807,"name":"شجرة"}';
    const request = signedRequest({ secret, event: body, timestamp: 1_767_225_600 });
    assert.equal(
      request.headers.get('X-Service-Signature'),
      'v1=1290dcf3afe218c7abb47ae5789c9c68eeac43c44bbe1eb37518df7806a1f1c8',
    );
    const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test' });
    const receiver = impact.events.receiver(secret, new MemoryInbox(), {}, { clock: () => 1_767_225_600_000 });
    // It is signed, and it has no envelope.
    assert.deepEqual(await send(receiver, request), [400, { problem: 'not_an_event' }]);
  });

  for (const [title, headers] of [
    ['both signatures', {}],
    ["the service's signature alone", ownOnly],
    ['the signature of Standard Webhooks alone', standardOnly],
  ] as const)
    test(title, async () => {
      const { receiver, handled } = newReceiver();
      assert.equal((await send(receiver, await changed(signed(confirmedEvent(1n)), { headers })))[0], 200);
      assert.deepEqual(handled, [1n]);
    });

  for (const [title, secrets, first, next] of [
    ['the old secret during a rotation', SECRET, SECRET, NEXT_SECRET],
    ['the next secret during a rotation', NEXT_SECRET, SECRET, NEXT_SECRET],
    ['both secrets, before the rotation', [SECRET, NEXT_SECRET], SECRET, undefined],
    ['both secrets, after the rotation', [SECRET, NEXT_SECRET], NEXT_SECRET, undefined],
  ] as const)
    test(title, async () => {
      const { receiver, handled } = newReceiver({ secrets });
      await send(receiver, signed(confirmedEvent(1n), { secret: first, ...(next && { nextSecret: next }) }));
      assert.deepEqual(handled, [1n]);
    });

  for (const offset of [-300, 300])
    test(`a timestamp ${offset} seconds from now`, async () => {
      const { receiver } = newReceiver();
      assert.equal((await send(receiver, signed(confirmedEvent(1n), { timestamp: NOW_SECONDS + offset })))[0], 200);
    });

  test('an unknown type, which nobody handles and which holds nothing up', async () => {
    const { receiver, handled } = newReceiver();
    assert.equal((await send(receiver, signed(confirmedEvent(1n, { event_type: 'something.new' }))))[0], 200);
    await send(receiver, signed(confirmedEvent(2n)));
    assert.deepEqual(handled, [2n]);
  });

  test('a challenge, signed by a secret that the receiver does not have yet, and nothing else of it', async () => {
    const { receiver, handled } = newReceiver();
    const challenge = randomBytes(24).toString('base64url');
    const event = confirmedEvent(1n, { sequence: null, event_type: 'webhook.endpoint.verification', data: { challenge } });
    assert.deepEqual(await send(receiver, signed(event, { secret: NEXT_SECRET })), [200, { challenge }]);
    assert.deepEqual(handled, []);
  });

  test('a test and a sample, which are told and not handled', async () => {
    const { receiver, handled, permits, unsequenced } = newReceiver();
    const sample = { ...failedEvent(1n), sequence: null } as Record<string, unknown>;
    await send(receiver, signed({ ...sample, data: { ...(sample['data'] as object), sample: true } }));
    await send(receiver, signed(confirmedEvent(1n, { sequence: null, event_type: 'webhook.endpoint.test', data: {} })));
    assert.deepEqual([handled, permits], [[], []]);
    assert.deepEqual(unsequenced, ['impact.transaction.adjusted', 'webhook.endpoint.test']);
  });

  test('signedRequest makes what the published verifier accepts', async () => {
    const request = signedRequest({ secret: SECRET, event: confirmedEvent(1n) });
    const body = await request.text();
    assert.ok(new Webhook(SECRET).verify(body, Object.fromEntries(request.headers)));
  });

  test('signedRequest signs the id of an event that is given as text, however its JSON is laid out', async () => {
    const [, ...texts] = [undefined, 0, 2].map((space) =>
      JSON.stringify(JSON.parse(stringifyExactJson(confirmedEvent(1n))), null, space),
    );
    for (const event of [...texts, 'no JSON']) {
      const request = signedRequest({ secret: SECRET, event, timestamp: NOW_SECONDS });
      const id = event === 'no JSON' ? '' : JSON.parse(event).event_id;
      assert.equal(request.headers.get('webhook-id'), id);
      if (id !== '') assert.equal((await send(newReceiver().receiver, request))[0], 200);
    }
  });
});

test('signedRequest signs the id in text that is not whole JSON, as a test of what a receiver refuses sends it', async () => {
  const whole = stringifyExactJson(confirmedEvent(1n));
  const request = signedRequest({ secret: SECRET, event: whole.slice(0, -1), timestamp: NOW_SECONDS });
  assert.equal(request.headers.get('webhook-id'), JSON.parse(whole).event_id);
  assert.deepEqual(await send(newReceiver().receiver, request), [400, { problem: 'not_an_event' }]);
});

describe('what fails after the answer', () => {
  function collectWarnings(): readonly string[] {
    const warnings: string[] = [];
    const collect = ({ message }: Error) => void (message === 'onError is wrong' && warnings.push(message));
    process.on('warning', collect);
    after(() => process.off('warning', collect));
    return warnings;
  }

  test('an onError that throws ends nothing, and the handler is called again', async (t) => {
    const warnings = collectWarnings();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let failures = 1;
    const onError = () => {
      throw new Error('onError is wrong');
    };
    const handled: bigint[] = [];
    const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test', fetch: feedOf(() => []) });
    const take = ({ sequence }: { sequence: bigint }) => {
      if (failures-- > 0) throw new Error('not now');
      handled.push(sequence);
    };
    const receiver = impact.events.receiver(
      SECRET,
      new MemoryInbox(),
      { 'impact.transaction.confirmed': take },
      { clock: () => NOW_SECONDS * 1000, onError },
    );
    assert.equal((await send(receiver, signed(confirmedEvent(1n))))[0], 200);
    t.mock.timers.tick(1_000);
    await receiver.settled();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([handled, warnings], [[1n], ['onError is wrong']]);
  });

  test('an async onError that rejects ends nothing, and is a warning', async () => {
    const warnings = collectWarnings();
    const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test', fetch: feedOf(() => []) });
    const receiver = impact.events.receiver(
      SECRET,
      new MemoryInbox(),
      { 'impact.transaction.confirmed': () => Promise.reject(new Error('not now')) },
      { clock: () => NOW_SECONDS * 1000, onError: () => Promise.reject(new Error('onError is wrong')) },
    );
    assert.equal((await send(receiver, signed(confirmedEvent(1n))))[0], 200);
    await receiver.settled();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(warnings, ['onError is wrong']);
  });

  test('onError is told once of a handler that has run for 60 s, and the events after it are handled when it ends', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { receiver, handled, errors } = newReceiver({
      handle: async (sequence) => {
        if (sequence !== 1n) return;
        begun.resolve();
        await ending.promise;
      },
    });
    const first = confirmedEvent(1n) as { readonly event_id: string };
    await receiver(signed(first));
    await receiver(signed(confirmedEvent(2n)));
    await begun.promise;
    t.mock.timers.tick(59_999);
    assert.deepEqual(errors, []);
    t.mock.timers.tick(1);
    t.mock.timers.tick(600_000);
    assert.deepEqual(
      errors.map((error) => (error as Error).message),
      [`The handler of impact.transaction.confirmed has run for 60 s with ${first.event_id}, and every later event waits.`],
    );
    ending.resolve();
    await receiver.settled();
    t.mock.timers.tick(600_000);
    assert.deepEqual([handled, errors.length], [[1n, 2n], 1]);
  });

  test('onError is told once of removed events whose page is fetched again while another process handles', async () => {
    let busy = 2;
    const inbox = new MemoryInbox();
    const shared: Inbox<undefined> = {
      position: () => inbox.position(),
      add: (event) => inbox.add(event),
      handleNext: async (handle) => (busy-- > 0 ? 'busy' : inbox.handleNext(handle)),
    };
    // More than a page.
    const feed = Array.from({ length: 501 }, (_none, index) => confirmedEvent(BigInt(index + 4)));
    const calls: string[] = [];
    const { receiver, errors } = newReceiver({ feed, calls, inbox: shared as Inbox<unknown> });
    await receiver.catchUp();
    assert.equal(calls[0], calls[1]);
    assert.deepEqual(
      errors.map((error) => error instanceof EventsRemovedError && [error.first, error.last]),
      [[1n, 3n]],
    );
  });

  test('onError is told of a gap of the feed with both of its causes, removed events and a restore of the service, and the others are handled', async () => {
    const { receiver, handled, errors } = newReceiver({ feed: [confirmedEvent(4n), confirmedEvent(5n)] });
    assert.equal(await receiver.catchUp(), 2);
    assert.deepEqual(handled, [4n, 5n]);
    assert.deepEqual(
      errors.map((error) => error instanceof EventsRemovedError && [error.first, error.last]),
      [[1n, 3n]],
    );
    const told =
      /^There are no events from 1 to 3: the service removed them after its time, or was restored and left the numbers out\. /;
    assert.match(String((errors[0] as Error).message), told);
    await receiver.catchUp();
    assert.equal(errors.length, 1);
  });
});

describe('an inbox that is out of order', () => {
  test('503 when it cannot store, so that the service sends the event again', async () => {
    const inbox: Inbox<undefined> = {
      position: async () => 0n,
      add: () => Promise.reject(new Error('disk full')),
      handleNext: async () => 'empty',
    };
    const { receiver, errors } = newReceiver({ inbox: inbox as Inbox<unknown> });
    assert.deepEqual(await send(receiver, signed(confirmedEvent(1n))), [503, { problem: 'not_stored' }]);
    assert.equal(errors.length, 1);
  });
});

describe('adapters', () => {
  const post = async (url: string, request: Request) => {
    const response = await fetch(url, { method: 'POST', headers: request.headers, body: await request.text() });
    return response.status;
  };

  test('nodeHandler: the raw bytes, and a refusal for others', async () => {
    const { receiver, handled } = newReceiver();
    const handler = nodeHandler(receiver);
    const server = createServer((request, response) => void handler(request, response)).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    assert.equal(await post(url, signed(confirmedEvent(1n))), 200);
    assert.equal(await post(url, signed(confirmedEvent(2n), { secret: NEXT_SECRET })), 401);
    assert.equal((await fetch(url)).status, 405);
    await receiver.settled();
    assert.deepEqual(handled, [1n]);
  });

  describe('nodeHandler never rejects', () => {
    const warnings: string[] = [];
    const collect = ({ message }: Error) => void warnings.push(message);
    process.on('warning', collect);
    after(() => process.off('warning', collect));

    /** A server that waits for its handler, and what the handler rejected with. */
    async function serve(before: (response: ServerResponse) => void = () => {}, { receiver } = newReceiver()) {
      warnings.length = 0;
      const failures: unknown[] = [];
      const handler = nodeHandler(receiver);
      const ended = new EventEmitter();
      const server = createServer((request, response) => {
        before(response);
        void handler(request, response)
          .catch((error) => failures.push(error))
          // A warning is emitted after the work of this turn.
          .then(() => setImmediate(() => ended.emit('end')));
      }).listen(0, '127.0.0.1');
      after(() => server.close());
      await once(server, 'listening');
      return { port: (server.address() as AddressInfo).port, ended: () => once(ended, 'end'), failures };
    }

    /** Sends bytes, and gives the first line of what comes back. */
    async function exchange(port: number, text: string): Promise<string> {
      const socket = connect(port, '127.0.0.1');
      socket.end(text);
      const answer = Buffer.concat(await Array.fromAsync(socket)).toString();
      return answer.split('\r\n', 1)[0] ?? '';
    }

    test('where the server has answered before it, as after a time-out of its own: a warning', async () => {
      const { port, ended, failures } = await serve((response) => response.writeHead(504).end());
      const end = ended();
      assert.equal(await post(`http://127.0.0.1:${port}/hook`, signed(confirmedEvent(1n))), 504);
      await end;
      assert.deepEqual(failures, []);
      assert.match(warnings.join(), /^Cannot write headers after they are sent/);
      assert.equal(warnings.length, 1);
    });

    test('405 for every method but POST, TRACE among them, and no warning', async () => {
      const { port, failures } = await serve();
      for (const method of ['TRACE', 'GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
        const line = await exchange(port, `${method} /hook HTTP/1.1\r\nHost: partner\r\nConnection: close\r\n\r\n`);
        assert.equal(line, 'HTTP/1.1 405 Method Not Allowed', method);
      }
      assert.deepEqual([failures, warnings], [[], []]);
    });

    test('a body whose sender goes away before its end: no warning', async () => {
      const { port, ended, failures } = await serve();
      const end = ended();
      const head = 'POST /hook HTTP/1.1\r\nHost: partner\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head}{"event_id":`, () => socket.destroy());
      await end;
      assert.deepEqual([failures, warnings], [[], []]);
    });

    test('a connection of the partner that another server breaks, with the error of an aborted request: a warning', async () => {
      const other = createServer((_request, response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('{', () => response.destroy());
      }).listen(0, '127.0.0.1');
      after(() => other.close());
      await once(other, 'listening');
      const given = newReceiver();
      const look = async (): Promise<Response> => {
        const [answer] = await once(get({ host: '127.0.0.1', port: (other.address() as AddressInfo).port }), 'response');
        await Array.fromAsync(answer);
        return new Response();
      };
      const { port, ended, failures } = await serve(undefined, { ...given, receiver: Object.assign(look, given.receiver) });
      const end = ended();
      assert.equal(await post(`http://127.0.0.1:${port}/hook`, signed(confirmedEvent(1n))), 500);
      await end;
      assert.deepEqual([failures, warnings], [[], ['aborted']]);
    });
  });

  test('expressHandler: the raw bytes, bytes that a parser kept, and an error for a body that was parsed', async () => {
    const { receiver, handled } = newReceiver();
    const handler = expressHandler(receiver);
    const failures: unknown[] = [];
    // What Express does: its requests and responses are those of node:http, and a parser puts `body` on the request.
    const server = createServer(async (request, response) => {
      const kept = request.url === '/raw' ? Buffer.concat(await Array.fromAsync(request)) : undefined;
      const body = request.url === '/parsed' ? {} : kept;
      await handler(Object.assign(request, body && { body }), response, (error) => {
        failures.push(error);
        response.writeHead(500).end();
      });
    }).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.equal(await post(`${url}/hook`, signed(confirmedEvent(1n))), 200);
    assert.equal(await post(`${url}/raw`, signed(confirmedEvent(2n))), 200);
    assert.equal(await post(`${url}/raw`, signed(confirmedEvent(3n), { secret: NEXT_SECRET })), 401);
    assert.equal(await post(`${url}/parsed`, signed(confirmedEvent(3n))), 500);
    assert.equal((await fetch(`${url}/parsed`, { method: 'PUT' })).status, 405);
    assert.equal(failures.length, 1);
    await receiver.settled();
    assert.deepEqual(handled, [1n, 2n]);
    assert.ok(failures[0] instanceof ConfigurationError);
  });

  test('fastifyPlugin: the raw bytes, and bodies of other routes stay parsed', async () => {
    const { receiver, handled } = newReceiver();
    const app = fastify();
    after(() => app.close());
    app.register(fastifyPlugin(receiver, '/hook'));
    app.post('/other', async (request) => (request.body as { a: number }).a);
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    assert.equal(await post(`${url}/hook`, signed(confirmedEvent(1n))), 200);
    assert.equal(await post(`${url}/hook`, await changed(signed(confirmedEvent(2n)), { body: '{}' })), 401);
    const other = await fetch(`${url}/other`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":5}',
    });
    assert.equal(await other.text(), '5');
    await receiver.settled();
    assert.deepEqual(handled, [1n]);
  });
});
