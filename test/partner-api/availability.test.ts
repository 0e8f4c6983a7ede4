/** Nobody takes the service away from the others. Decisions, section 6: what is shared is shared per partner. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { type BatchOptions, byPartner, createBatcher } from '../../src/concurrency/batch-queue.ts';
import { inSlices } from '../../src/concurrency/in-slices.ts';
import { oneAtATime } from '../../src/partner-api/http/connection-queue.ts';
import { limitIdle } from '../../src/partner-api/http/idle-connections.ts';
import { listen } from '../../src/partner-api/http/listen.ts';
import { watchTransfer } from '../../src/partner-api/http/watched-transfer.ts';
import { InFlight } from '../../src/partner-api/limits/in-flight.ts';
import { paced, SHED } from '../../src/partner-api/limits/paced.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
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

  test('its whole requests count for others with 128 at most', () => {
    const inFlight = new InFlight();
    const requests = Array.from({ length: 1_000 }, () => inFlight.begin('busy', true));
    requests.push(inFlight.begin('busy', false));
    assert.deepEqual([inFlight.countFor('busy'), inFlight.countFor('other'), inFlight.countFor(undefined)], [1_001, 128, 128]);
    for (const request of requests) inFlight.end(request);
    assert.deepEqual([inFlight.countFor('busy'), inFlight.countFor('other')], [0, 0]);
  });

  test('a burst of 640 is served whole; a partner that fills the service has fewer places until few of its requests are in flight', () => {
    const inFlight = new InFlight();
    const requests = Array.from({ length: 639 }, () => inFlight.begin('busy', true));
    assert.equal(inFlight.isFull('busy', 640), false);
    requests.push(inFlight.begin('busy', true));
    for (const request of requests.splice(0, 40)) inFlight.end(request);
    assert.deepEqual(
      [inFlight.isFull('busy', 640), inFlight.isFull('other', 640), inFlight.isFull(undefined, 640)],
      [true, false, false],
    );
    assert.equal(inFlight.isFull('busy', 4_096), false, 'its look-ups of contributions have places');
    for (const request of requests.splice(0, 590)) inFlight.end(request);
    assert.equal(inFlight.isFull('busy', 640), false);
    for (let count = 0; count < 600; count++) requests.push(inFlight.begin('busy', true));
    assert.equal(inFlight.isFull('busy', 640), false, 'the next burst is served whole');
  });
});

test('a few refusals are made at once, and of many each in its turn', async () => {
  const refuseInTurn = paced(SHED);
  const made: number[] = [];
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  for (const number of numbers) refuseInTurn(() => made.push(number));
  assert.ok(made.length >= 10 && made.length < 100, `${made.length} at once`);
  await waitFor('hundredth refusal', () => made.length >= 100);
  assert.deepEqual(made, numbers);
});

test('refusals that find as many before them as may wait are made by the next pace, and all are made once', async () => {
  const beyond: (() => void)[] = [];
  const made: number[] = [];
  const refuseInTurn = paced({ perMs: 1, waitingMax: 20, beyond: (refuse) => beyond.push(refuse) });

  for (let number = 0; number < 40; number++) refuseInTurn(() => made.push(number));
  // On a slow machine more than one turn of refusals is made at once.
  assert.equal(beyond.length, Math.max(0, 40 - made.length - 20));
  for (const refuse of beyond) refuse();
  await waitFor('fortieth refusal', () => made.length >= 40);
  assert.equal(new Set(made).size, 40);
});

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
});

describe('requests that wait for a batch', () => {
  interface Request {
    readonly partnerId: string;
    readonly number: number;
  }

  /** A queue with a concurrency of one that holds a first request until `release`; then `batches` tells what went together. */
  const hold = async (limits: Pick<BatchOptions<Request, string>, 'batchMax' | 'waitingMax' | 'isOfOneShare'>) => {
    const batches: string[] = [];
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const submit = createBatcher<Request, string>({
      concurrency: 1,
      waitMaxMs: 60_000,
      shareOf: byPartner,
      ...limits,
      run: async (requests) => {
        const names = requests.map(({ partnerId, number }) => `${partnerId}${number}`);
        batches.push(names.join(' '));
        begun.resolve();
        await released.promise;
        return names;
      },
    });
    const of = (partnerId: string, count: number) =>
      Array.from({ length: count }, (_, index) => submit({ partnerId, number: index + 1 }));
    const held = submit({ partnerId: 'held', number: 0 });
    await begun.promise;
    const release = async () => {
      released.resolve();
      await held;
    };
    return { batches, of, release };
  };

  const refusedOf = async (outcomes: readonly Promise<string>[]) =>
    (await Promise.allSettled(outcomes)).filter(({ status }) => status === 'rejected').length;

  test('one that fills them all displaces nobody else, and nobody waits behind all of its requests', async () => {
    const { batches, of, release } = await hold({ batchMax: 4, waitingMax: 12 });
    const busy = of('busy', 20);
    const [late, other] = [of('late', 2), of('other', 1)];
    await release();
    assert.deepEqual([await refusedOf(busy), await refusedOf(late), await refusedOf(other)], [11, 0, 0]);
    assert.deepEqual(batches, ['held0', 'busy1 late1 other1 busy2', 'late2 busy3 busy4 busy5', 'busy6 busy7 busy8 busy9']);
  });

  test('where all have as many, the latest is refused', async () => {
    const { of, release } = await hold({ batchMax: 4, waitingMax: 4 });
    const [one, two] = [of('one', 2), of('two', 2)];
    const three = of('three', 2);
    const late = of('one', 1);
    await release();
    assert.deepEqual(await Promise.all([one, two, three, late].map(refusedOf)), [1, 0, 1, 1]);
  });

  test('where a batch is of one partner, partners take turns', async () => {
    const { batches, of, release } = await hold({ batchMax: 2, waitingMax: 12, isOfOneShare: true });
    const outcomes = [...of('busy', 5), ...of('late', 1)];
    await release();
    assert.equal(await refusedOf(outcomes), 0);
    assert.deepEqual(batches, ['held0', 'busy1 busy2', 'late1', 'busy3 busy4', 'busy5']);
  });
});

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

describe('a transfer', () => {
  /** Each chunk takes so long on the partner's side. */
  async function carry(
    partner: 'sends' | 'takes',
    chunks: readonly [bytes: number, ms: number][],
    checkAllowed = async () => {},
  ) {
    let nowMs = 0;
    const source = async function* () {
      for (const [bytes, ms] of chunks) {
        if (partner === 'sends') nowMs += ms;
        yield Buffer.alloc(bytes);
      }
    };
    let taken = 0;
    for await (const _chunk of watchTransfer(source(), { partner, checkAllowed, clock: () => nowMs })) {
      if (partner === 'takes') nowMs += chunks[taken]?.[1] ?? 0;
      taken++;
    }
    return taken;
  }

  for (const partner of ['sends', 'takes'] as const) {
    test(`whose partner ${partner} less than 16 KiB a second is ended, after 30 s`, async () => {
      assert.equal(await carry(partner, Array(100).fill([20_000, 1_000])), 100);
      assert.equal(await carry(partner, Array(30).fill([1, 1_000])), 30);
      await assert.rejects(
        carry(partner, Array(40).fill([1, 1_000])),
        partner === 'sends'
          ? /^ServiceError: The list arrived slower than 16384 bytes a second\. Send it again, under the same key or a new one\.$/
          : /^ServiceError: The answer was read slower than 16384 bytes a second\. Request it again\.$/,
      );
    });

    test(`whose partner ${partner} has its key checked every 4 s, and ends when the key no longer holds`, async () => {
      let asked = 0;
      const checkAllowed = async () => {
        if (++asked === 3) throw new Error('the key is revoked');
      };
      await assert.rejects(carry(partner, Array(100).fill([100_000, 1_000]), checkAllowed), /the key is revoked/);
      asked = 10;
      assert.equal(await carry(partner, Array(9).fill([100_000, 1_000]), checkAllowed), 9);
      assert.equal(asked, 12);
    });
  }
});

test('a list that is sent faster than 32 MiB a second is read at that speed, a statement as fast as it is taken', async () => {
  const chunks = async function* () {
    for (let sent = 0; sent < 64; sent++) yield Buffer.alloc(2 ** 20);
  };
  const read = async (partner: 'sends' | 'takes') => {
    let nowMs = 0;
    const pause = async (ms: number) => {
      nowMs += ms;
    };
    let bytes = 0;
    for await (const chunk of watchTransfer(chunks(), { partner, checkAllowed: async () => {}, clock: () => nowMs, pause }))
      bytes += chunk.byteLength;
    return { bytes, nowMs };
  };
  assert.deepEqual(await read('sends'), { bytes: 2 ** 26, nowMs: 2_000 });
  assert.deepEqual(await read('takes'), { bytes: 2 ** 26, nowMs: 0 });
});

test('a list is read in slices, and the event loop turns before each', async () => {
  const chunks = async function* () {
    yield Buffer.alloc(100_000, 'a');
    yield Buffer.alloc(10, 'b');
  };
  let turns = 0;
  let isEnded = false;
  const turn = () => {
    turns++;
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  const slices: [bytes: number, turnsBefore: number][] = [];
  for await (const slice of inSlices(chunks())) slices.push([slice.length, turns]);
  isEnded = true;
  const bytes = slices.map(([length]) => length);
  assert.deepEqual([Math.max(...bytes), bytes.reduce((sum, length) => sum + length, 0), bytes.at(-1)], [8_192, 100_010, 10]);
  for (const [place, [, turnsBefore]] of slices.entries()) assert.ok(turnsBefore > place, `${turnsBefore} before slice ${place}`);
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
