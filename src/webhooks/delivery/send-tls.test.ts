/** What a delivery tells of a certificate that is not trusted, also when an earlier one was. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import tls, { createServer as createTlsServer } from 'node:tls';
import { HANG_LIMIT } from '../../../test/support/assertions/hang-limit.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { makeCertificate } from '../../../test/support/webhooks/make-certificate.ts';
import { openGuardedAgent } from '../security/guarded-agent.ts';
import { send } from './send.ts';

const NAME = 'hooks.example.com';
const valid = makeCertificate(NAME);
const expired = makeCertificate(NAME, -1);
const ofClient = makeCertificate(NAME, 2, 'ec', ['extendedKeyUsage=clientAuth']);
const strange = makeCertificate(NAME, 2, 'ec', ['1.2.3.4=critical,ASN1:NULL']);

async function listen(options: ServerOptions, answer = (response: ServerResponse) => void response.end()) {
  const server = createServer(options, (_request, response) => answer(response.setHeader('connection', 'close')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

/** Sends to a port of this machine under a name. */
function sender(authority: Buffer | undefined) {
  const agent = openGuardedAgent({
    allowInsecure: true,
    resolveName: async () => [{ address: '127.0.0.1', family: 4 }],
    ...(authority && { certificateAuthorities: authority }),
  });
  after(() => agent.destroy());
  return async (host: string, port: number) => {
    const message = { url: `https://${host}:${port}/`, headers: {}, body: Buffer.from('{}') };
    const { errorClass, status } = await send(agent, message);
    return [errorClass, status];
  };
}

for (const [what, { served = valid, trusted = [served.cert], host = NAME }, expected] of [
  ['a valid one', {}, null],
  ['one that has expired', { served: expired }, 'tls_expired'],
  ['one of another name', { host: 'other.example.com' }, 'tls_name'],
  ['one that is for clients', { served: ofClient }, 'tls'],
  ['one that says a thing nobody knows', { served: strange }, 'tls'],
  ['one of an unknown authority', { trusted: [] }, 'tls_untrusted'],
] as readonly [string, { served?: typeof valid; trusted?: Buffer[]; host?: string }, string | null][])
  test(`${what}: ${expected ?? 'delivered'}`, async () => {
    const { port } = await listen(served);
    assert.deepEqual(await sender(trusted[0])(host, port), [expected, expected === null ? 200 : null]);
  });

test(
  'of eight connections that are begun together, one to a machine with an expired certificate, seven deliver',
  HANG_LIMIT,
  async () => {
    const [good, bad] = [await listen(valid), await listen(expired)];
    bad.server.on('tlsClientError', () => {});
    const sockets: Socket[] = [];
    // All wait until each is begun; the one with the expired certificate is answered first.
    const machines = createTcpServer((socket) => {
      sockets.push(socket);
      if (sockets.length === 8)
        for (const [index, each] of sockets.entries()) (index > 0 ? good : bad).server.emit('connection', each);
    }).listen(0, '127.0.0.1');
    await once(machines, 'listening');
    after(() => machines.close());
    const sendTo = sender(Buffer.concat([valid.cert, expired.cert]));
    const answers = await Promise.all(Array.from({ length: 8 }, () => sendTo(NAME, (machines.address() as AddressInfo).port)));
    assert.deepEqual(Object.groupBy(answers, ([errorClass]) => errorClass ?? 'delivered')['delivered']?.length, 7);
    assert.equal(answers.filter(([errorClass]) => errorClass === 'tls_expired').length, 1);
  },
);

const other = makeCertificate('other.example.com');

for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
  for (const [what, certificate, expected] of [
    ['has expired', expired, 'tls_expired'],
    ['is for another name', other, 'tls_name'],
  ] as const)
    test(`a receiver that resumes sessions (${version}), and whose certificate ${what} meanwhile: ${expected}`, async () => {
      const settings = { ticketKeys: Buffer.alloc(48, 1), minVersion: version, maxVersion: version };
      const { server, port } = await listen({ ...valid, ...settings });
      const sendTo = sender(Buffer.concat([valid.cert, expired.cert, other.cert]));
      assert.deepEqual(await sendTo(NAME, port), [null, 200]);
      server.setSecureContext({ ...certificate, ...settings });
      assert.deepEqual(await sendTo(NAME, port), [expected, null]);
    });

test('a receiver with which TLS 1.2 takes a Diffie-Hellman group of its choice alone: tls', HANG_LIMIT, async () => {
  const rsa = makeCertificate(NAME, 2, 'rsa');
  const settings = { ...rsa, maxVersion: 'TLSv1.2', dhparam: 'auto' } as const;
  const dhe = await listen({ ...settings, ciphers: 'DHE-RSA-AES128-GCM-SHA256' });
  assert.deepEqual(await sender(rsa.cert)(NAME, dhe.port), ['tls', null]);
  const ecdhe = await listen({ ...settings, ciphers: 'DHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256' });
  assert.deepEqual(await sender(rsa.cert)(NAME, ecdhe.port), [null, 200]);
});

test('100 Continue that nobody asked for precedes an answer over TLS too', async () => {
  const { port } = await listen(valid, (response) => {
    response.writeContinue();
    response.end();
  });
  assert.deepEqual(await sender(valid.cert)(NAME, port), [null, 200]);
});

/** A receiver that negotiates TLS 1.2 anew so many times before it answers. */
async function listenAnew(times: number) {
  const server = createTlsServer({ ...valid, maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', () => {});
    const negotiate = (left: number): void => {
      if (left === 0) return void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      socket.renegotiate({ rejectUnauthorized: false }, () => setImmediate(negotiate, left - 1));
    };
    socket.once('data', () => negotiate(times));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test(
  'a receiver that negotiates TLS anew without end: endless; for one that does so once: delivered',
  HANG_LIMIT,
  async (context) => {
    // Node as a server allows three, and as a client any number.
    const settings = tls as { CLIENT_RENEG_LIMIT: number };
    const allowed = settings.CLIENT_RENEG_LIMIT;
    settings.CLIENT_RENEG_LIMIT = 1_000;
    context.after(() => (settings.CLIENT_RENEG_LIMIT = allowed));
    assert.deepEqual(await sender(valid.cert)(NAME, await listenAnew(1)), [null, 200]);
    assert.deepEqual(await sender(valid.cert)(NAME, await listenAnew(50)), ['endless', null]);
  },
);

/** A receiver whose answer is written byte by byte: each is a record of TLS. */
async function listenBytewise(answer: string): Promise<number> {
  const server = createTlsServer(valid, (socket) => {
    const write = (at: number): void => {
      if (socket.destroyed || at === answer.length) return void socket.end();
      socket.write(answer.charAt(at), () => write(at + 1));
    };
    socket.setNoDelay().on('error', () => {});
    socket.once('data', () => write(0));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('a receiver whose answer has thousands of records of TLS: endless; one with a thousand: delivered', HANG_LIMIT, async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  assert.deepEqual(await sender(valid.cert)(NAME, await listenBytewise('\r\n'.repeat(500) + answer)), [null, 200]);
  assert.deepEqual(await sender(valid.cert)(NAME, await listenBytewise('\r\n'.repeat(3_000) + answer)), ['endless', null]);
});

/** A receiver by OpenSSL's own server with TLS 1.3 and these options, which answers what it is sent after so many updates of its key. */
async function listenOpenssl(options: readonly string[], keyUpdates = 0): Promise<number> {
  const folder = temporaryFolder('openssl');
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  writeFileSync(key, valid.key);
  writeFileSync(cert, valid.cert);
  const usual = ['-tls1_3', '-msg', '-key', key, '-cert', cert, '-accept', '127.0.0.1:0'];
  const server = spawn('openssl', ['s_server', ...usual, ...options], { stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => server.kill());
  let [said, updated] = ['', 0];
  const port = new Promise<number>((resolve) =>
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, accepts] = /^ACCEPT .+:(\d+)$/m.exec(said) ?? [];
      if (accepts) resolve(Number(accepts));
      if (text.includes('POST / HTTP/1.1') || text.includes('KeyUpdate')) {
        // The server reads one command at a time.
        const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
        server.stdin.write(updated++ < keyUpdates ? 'k\n' : answer);
      }
    }),
  );
  return port;
}

test(
  'a receiver that sends tickets of TLS 1.3 without end: endless; for one that sends four: delivered',
  HANG_LIMIT,
  async () => {
    assert.deepEqual(await sender(valid.cert)(NAME, await listenOpenssl(['-num_tickets', '4'])), [null, 200]);
    assert.deepEqual(await sender(valid.cert)(NAME, await listenOpenssl(['-num_tickets', '200'])), ['endless', null]);
  },
);

test(
  'a receiver that updates its key of TLS 1.3 without end: endless; one that does so twice: delivered',
  HANG_LIMIT,
  async () => {
    assert.deepEqual(await sender(valid.cert)(NAME, await listenOpenssl([], 2)), [null, 200]);
    assert.deepEqual(await sender(valid.cert)(NAME, await listenOpenssl([], 50)), ['endless', null]);
  },
);

test('a receiver with which TLS 1.3 takes a large Diffie-Hellman group alone: tls', HANG_LIMIT, async () => {
  for (const [group, expected] of [
    ['ffdhe8192', ['tls', null]],
    ['P-521', [null, 200]],
  ] as const)
    assert.deepEqual(await sender(valid.cert)(NAME, await listenOpenssl(['-groups', group])), expected);
});
