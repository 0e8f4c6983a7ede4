/** A sign-in that fails on the side of the service takes no place of the server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/store/database.ts';

/** A message of a server that asks for a password: AuthenticationSASL is 10, AuthenticationSASLContinue 11. */
function authentication(code: 10 | 11, text: string): Buffer {
  const message = Buffer.alloc(9 + text.length);
  message.write('R');
  message.writeInt32BE(message.length - 1, 1);
  message.writeInt32BE(code, 5);
  message.write(text, 9);
  return message;
}

test('without the password that the server asks for, the connection is closed', async () => {
  const closed: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    closed.push(once(socket, 'close'));
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(authentication(10, 'SCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(authentication(11, 'r=nonce,s=c2FsdA==,i=4096')));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const database = openDatabase({ databaseUrl: `postgresql://impact@127.0.0.1:${port}/impact`, poolSize: 2 });
  after(() => database.close());
  for (let attempt = 0; attempt < 3; attempt++)
    await assert.rejects(database.pool.query('select 1'), /password must be a string/);
  assert.equal(closed.length, 3);
  await Promise.all(closed);
});
