/** Receivers that answer without end (decisions, section 7, Delivery). */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Dispatcher } from 'undici';
import { HANG_LIMIT } from '../../../test/support/assertions/hang-limit.ts';
import { openNameServer } from '../../../test/support/webhooks/name-server.ts';
import { openGuardedAgent } from '../security/guarded-agent.ts';
import { send } from './send.ts';

const client = openGuardedAgent({ allowInsecure: true });
after(() => client.destroy());

const GIVES_UP_AFTER_BYTES = 8 * 1_048_576;
const MOST_BYTES = 1_048_576;

/** A receiver that begins its answer, and then sends a piece again and again until nobody takes it, or it has had enough. */
async function pour(head: string, piece: string): Promise<{ url: string; sent(): number }> {
  let sent = 0;
  const pourOn = (socket: Socket) => {
    if (socket.destroyed) return;
    if (sent >= GIVES_UP_AFTER_BYTES) return void socket.destroy();
    sent += piece.length;
    // One piece at a time: whoever cuts the connection is heard before the next.
    socket.write(piece, () => setImmediate(pourOn, socket));
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(head);
      pourOn(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sent: () => sent };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const HINT = 'HTTP/1.1 103 Early Hints\r\n';
const LONG = 'a'.repeat(1_000);

const ENDLESS: [what: string, head: string, piece: string, status: number | null][] = [
  ['103', '', `${HINT}\r\n`.repeat(16), null],
  ['103 with as long a head as may be', '', `${HINT}link: ${LONG.repeat(8)}\r\n\r\n`, null],
  ['102', '', 'HTTP/1.1 102 Processing\r\n\r\n', null],
  ['blank lines before the answer', '', '\r\n'.repeat(500), null],
  ['a reason behind the status', 'HTTP/1.1 200 ', LONG, null],
  ['an extension of a chunk', `${OK}transfer-encoding: chunked\r\n\r\n1;`, LONG, 200],
  ['trailers', `${OK}transfer-encoding: chunked\r\n\r\n0\r\n`, `a: ${LONG}\r\n`, 200],
];

describe('an answer without end is cut off', HANG_LIMIT, () => {
  for (const [what, head, piece, status] of ENDLESS)
    test(`${what}: the receiver gets rid of less than a mebibyte`, async () => {
      const receiver = await pour(head, piece);
      const answer = await send(client, { url: receiver.url, headers: {}, body: Buffer.from('{}') });
      assert.ok(receiver.sent() <= MOST_BYTES, `${receiver.sent()} bytes`);
      assert.equal(answer.status, status);
      if (status === null) assert.match(String(answer.errorClass), /^(?:endless|protocol)$/);
    });

  test('103 without end fails the attempt as `endless`, after ten of them', async () => {
    const receiver = await pour('', `${HINT}\r\n`);
    const answer = await send(client, { url: receiver.url, headers: {}, body: Buffer.from('{}') });
    assert.deepEqual([answer.status, answer.errorClass], [null, 'endless']);
  });
});

for (const [kibibytes, status, errorClass] of [
  [17, 200, null],
  [120, 200, null],
  [140, null, 'endless'],
] as const)
  test(`an answer with ${kibibytes} KiB of header fields: ${errorClass ?? status}`, async () => {
    const fields = `content-security-policy: ${'a'.repeat(1_024 - 27)}\r\n`.repeat(kibibytes);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => socket.write(`${OK}${fields}content-length: 0\r\n\r\n`));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await send(client, { url, headers: {}, body: Buffer.from('{}') });
    assert.deepEqual([answer.status, answer.errorClass], [status, errorClass]);
  });

test('of a long answer 2 KiB are kept, and no part of a letter', async () => {
  const server = createServer((socket) => {
    socket.on('data', () => socket.write(`${OK}content-length: 3001\r\n\r\n-${'م'.repeat(1_500)}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { excerpt } = await send(client, { url, headers: {}, body: Buffer.from('{}') });
  assert.equal(excerpt, `-${'م'.repeat(1_023)}`);
});

test('what precedes an answer, and a connection that is used again and again, change nothing', async () => {
  let connections = 0;
  const body = LONG.repeat(12);
  const server = createServer((socket) => {
    connections++;
    socket.on('data', (data) => {
      if (!data.toString().endsWith('{}')) return;
      socket.write(`\r\n${HINT}link: </a>\r\n\r\n`.repeat(10));
      socket.write(`${OK}content-length: ${body.length}\r\n\r\n${body}`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let each = 0; each < 30; each++) {
    const { status, errorClass } = await send(client, { url, headers: {}, body: Buffer.from('{}') });
    assert.deepEqual([status, errorClass], [200, null]);
  }
  assert.ok(connections < 10, `${connections} connections`);
});

describe('100 Continue that nobody asked for precedes an answer like any other', HANG_LIMIT, () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const answer = `${OK}content-length: ${CONTINUE.length}\r\n\r\n${CONTINUE}`;
  const pieces: [how: string, pieces: string[], status: number | null][] = [
    ['once', [CONTINUE, answer], 200],
    ['with the answer behind it', [CONTINUE + answer], 200],
    ['twice, with a header', [`HTTP/1.1 100 Go on\r\nserver: old\r\n\r\n${CONTINUE}`, answer], 200],
    ['before and after 103', [`${CONTINUE}${HINT}\r\n${CONTINUE}`, answer], 200],
    ['in pieces', ['HTTP/1.1 10', '0 Continue\r\n\r', `\n${HINT}`, `\r\nHTTP/1.1 1`, '00 Go on\r', '\n', `\r\n${answer}`], 200],
    ['byte by byte', [...CONTINUE, answer], 200],
    [
      'among heads as long as may be',
      [`${HINT}link: ${LONG.repeat(8)}\r\n\r`, `\n${CONTINUE}${HINT}link: ${LONG.repeat(8)}\r\n\r\n${CONTINUE}${answer}`],
      200,
    ],
    ['with a body that begins like it', [`${OK}content-length: ${CONTINUE.length}\r\n\r\n`, CONTINUE], 200],
    ['without end', Array.from({ length: 30 }, () => CONTINUE), null],
  ];
  for (const [how, sent, status] of pieces)
    test(how, async () => {
      const server = createServer((socket) => {
        socket.setNoDelay().on('error', () => {});
        socket.on('data', async (data) => {
          if (!data.toString().endsWith('{}')) return;
          for (const piece of sent) {
            socket.write(piece);
            await sleep(20);
          }
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      after(() => server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      for (const _again of [1, 2]) {
        const got = await send(client, { url, headers: {}, body: Buffer.from('{}') });
        const expected = status === null ? [null, 'endless', null] : [status, null, CONTINUE];
        assert.deepEqual([got.status, got.errorClass, got.excerpt], expected);
      }
    });
});

const PRLIMIT = '/usr/bin/prlimit';

/** Sends while the process may open no more files, and again when it may. */
const SEND_WITHOUT_FILES = `
import { closeSync, openSync } from 'node:fs';
const [folder, url, nameServer] = process.argv.slice(1);
const { openGuardedAgent } = await import(folder + '/../security/guarded-agent.ts');
const { publicNames } = await import(folder + '/../security/resolve-name.ts');
const { send } = await import(folder + '/send.ts');
const client = openGuardedAgent({ allowInsecure: true, resolveName: publicNames([nameServer]) });
const trySend = () => send(client, { url, headers: {}, body: Buffer.from('{}') }).then(({ status }) => status, ({ code }) => code);
const results = [await trySend()];
const open = [];
const fill = () => {
  const before = open.length;
  try {
    for (;;) open.push(openSync('/dev/null'));
  } catch {}
  return open.length > before;
};
// The connection of the first is closed a moment after its answer, and leaves its file to the next.
while (fill()) await new Promise((resolve) => setTimeout(resolve, 100));
results.push(await trySend());
for (const file of open) closeSync(file);
results.push(await trySend());
console.log(results.join(' '));
await client.destroy();
`;

test('a connection, or a question to a name server, that this machine has no file for is no answer of the receiver', {
  ...HANG_LIMIT,
  skip: existsSync(PRLIMIT) ? false : 'prlimit is not on this machine',
}, async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(`${OK}content-length: 0\r\nconnection: close\r\n\r\n`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const names = await openNameServer('127.0.0.1', { host: '127.0.0.1', port: 0 });
  after(() => names.close());
  for (const host of ['127.0.0.1', 'hooks.example']) {
    const url = `http://${host}:${(server.address() as AddressInfo).port}/`;
    const given = [import.meta.dirname, url, `127.0.0.1:${names.address().port}`];
    const program = ['--input-type=module', '--eval', SEND_WITHOUT_FILES, ...given];
    const { stdout } = await promisify(execFile)(PRLIMIT, ['--nofile=128:128', process.execPath, ...program]);
    assert.equal(stdout.trim(), '200 EMFILE 200', host);
  }
});

/** A client whose connections fail. */
const failing = (error: object) =>
  ({
    dispatch: (_, handler) => {
      handler.onResponseError?.(
        null as never,
        error instanceof AggregateError ? error : Object.assign(new Error('no connection'), error),
      );
      return false;
    },
  }) as Dispatcher;
const message = { url: 'http://127.0.0.1/', headers: {}, body: Buffer.alloc(0) };

test('a port that this machine lacks is no failure of the receiver; an IPv6 address that it cannot reach is', async () => {
  await assert.rejects(send(failing({ code: 'EADDRNOTAVAIL', address: '192.0.2.1' }), message), { code: 'EADDRNOTAVAIL' });
  const { errorClass } = await send(failing({ code: 'EADDRNOTAVAIL', address: '2001:db8::1' }), message);
  // As Node tells of a name with several addresses.
  const ofEach = [
    { code: 'ENETUNREACH', address: '2001:db8::1' },
    { code: 'EADDRNOTAVAIL', address: '192.0.2.1' },
  ];
  const several = new AggregateError(ofEach.map((each) => Object.assign(new Error('no connection'), each)));
  await assert.rejects(send(failing(several), message), (error) => error === several);
  assert.equal(errorClass, 'connect');
});

test('a name server that fails is told from a name that is not there', async () => {
  const classOf = async (code: string) => (await send(failing({ code }), message)).errorClass;
  assert.deepEqual([await classOf('ENOTFOUND'), await classOf('EAI_AGAIN')], ['name', 'name_server']);
});

test('a certificate that may not be used, or cannot be read, is no answer that is not HTTP', async () => {
  for (const code of [
    'INVALID_PURPOSE',
    'INVALID_CA',
    'PATH_LENGTH_EXCEEDED',
    'ERROR_IN_CERT_NOT_BEFORE_FIELD',
    'ERROR_IN_CERT_NOT_AFTER_FIELD',
    'UNSPECIFIED',
  ])
    assert.equal((await send(failing({ code }), message)).errorClass, 'tls', code);
});

test('a connection that a route or a firewall forbids is no answer that is not HTTP', async () => {
  for (const code of ['EACCES', 'EPERM', 'EINVAL', 'ENETDOWN'])
    assert.equal((await send(failing({ code, syscall: 'connect' }), message)).errorClass, 'connect', code);
});
