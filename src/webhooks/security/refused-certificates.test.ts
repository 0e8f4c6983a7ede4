import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { HANG_LIMIT } from '../../../test/support/assertions/hang-limit.ts';
import { makeCertificate } from '../../../test/support/webhooks/make-certificate.ts';
import { RefusedCertificates } from './refused-certificates.ts';

const NAME = 'hooks.example.com';
const certificate = makeCertificate(NAME);

async function listen(): Promise<number> {
  const server = createServer(certificate, (socket) => void socket.on('error', () => {}).end());
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A receiver that takes connections and begins no handshake. */
async function listenInSilence(): Promise<number> {
  const server = createTcpServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** @param authority Whom it trusts. */
function open(port: number, authority: Buffer[]): TLSSocket {
  return connect({ host: '127.0.0.1', port, servername: NAME, ca: authority });
}

/** Refuses a certificate whose check takes so long, and comes back with the error. */
async function refuse(refused: RefusedCertificates, { port, check }: { readonly port: number; readonly check: () => void }) {
  const socket = open(port, []);
  socket.prependOnceListener('error', check);
  refused.watch('a:443', socket);
  const [error] = await once(socket, 'error');
  assert.equal(error.code, 'DEPTH_ZERO_SELF_SIGNED_CERT');
  return error;
}

test(
  'a receiver whose refused checks took more than 250 ms gets no connection for twenty times as long',
  HANG_LIMIT,
  async () => {
    let nowMs = 1_000;
    const refused = new RefusedCertificates(() => nowMs);
    const port = await listen();
    const begun = open(await listenInSilence(), []);
    const ended = new Promise((resolve) => begun.once('error', resolve));
    refused.watch('a:443', begun);
    await refuse(refused, { port, check: () => (nowMs += 200) });
    assert.deepEqual([refused.find('a:443'), begun.destroyed], [undefined, false]);
    const error = await refuse(refused, { port, check: () => (nowMs += 200) });
    assert.equal(await ended, error);
    assert.equal(refused.find('a:443'), error);
    assert.equal(refused.find('b:443'), undefined);
    nowMs += 20 * 400 - 1;
    assert.equal(refused.find('a:443'), error);
    nowMs += 1;
    assert.equal(refused.find('a:443'), undefined);
  },
);

test('usual refused checks end nothing, however many the receiver has in a minute', HANG_LIMIT, async () => {
  let nowMs = 1_000;
  const refused = new RefusedCertificates(() => nowMs);
  const port = await listen();
  for (let times = 0; times < 60; times++) {
    nowMs += 1_000;
    await refuse(refused, { port, check: () => (nowMs += 5) });
    assert.equal(refused.find('a:443'), undefined);
  }
});

test('a connection that fails otherwise, or succeeds, refuses nothing and ends no other', HANG_LIMIT, async () => {
  const refused = new RefusedCertificates(() => 0);
  const port = await listen();
  const waiting = open(port, [certificate.cert]);
  const failing = open(port, [certificate.cert]);
  refused.watch('a:443', waiting);
  refused.watch('a:443', failing);
  failing.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  await once(failing, 'error');
  await once(waiting, 'secureConnect');
  waiting.destroy();
  assert.equal(refused.find('a:443'), undefined);
});
