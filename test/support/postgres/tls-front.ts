import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after } from 'node:test';
import { TLSSocket } from 'node:tls';
import { makeCertificate } from '../webhooks/make-certificate.ts';

/** What a server answers to a client that asks whether it speaks TLS. */
const YES = 'S';

/**
 * Speaks TLS in front of the server of tests, which has a Unix socket alone.
 *
 * @returns The address of the database there, without `sslmode`, and the certificate, which is its own authority.
 */
export async function tlsFront(databaseUrl: string): Promise<{ databaseUrl: string; authority: Buffer }> {
  const { key, cert } = makeCertificate('localhost');
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.5432`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(YES);
      const client = new TLSSocket(socket, { isServer: true, key, cert });
      const upstream = connect(path);
      for (const each of [client, upstream]) each.on('error', () => {});
      client.pipe(upstream).pipe(client);
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { databaseUrl: `postgresql://postgres@localhost:${port}${target.pathname}`, authority: cert };
}
