import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
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

/** @param authority Whom it trusts. */
function open(port: number, authority: Buffer[]): TLSSocket {
  return connect({ host: '127.0.0.1', port, servername: NAME, ca: authority });
}

test(
  'a receiver whose certificate was refused gets no connection for twenty times as long as that took',
  HANG_LIMIT,
  async () => {
    let nowMs = 1_000;
    const refused = new RefusedCertificates(() => nowMs);
    const socket = open(await listen(), []);
    refused.watch('a:443', socket);
    const [error] = await once(socket, 'error');
    assert.equal(error.code, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    assert.equal(refused.find('a:443'), error);
    assert.equal(refused.find('b:443'), undefined);
    // A handshake keeps no process busy for half a minute.
    nowMs += 600_000;
    assert.equal(refused.find('a:443'), undefined);
  },
);

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
