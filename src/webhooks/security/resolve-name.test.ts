import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { request } from 'undici';
import { openGuardedAgent } from './guarded-agent.ts';
import { publicNames } from './resolve-name.ts';

/** The names that are answered without an address: the code of the answer. */
const CODES = { empty: 0, failing: 2, missing: 3, refused: 5 };

/**
 * A name server that knows two names with addresses: `known.example`, and `local.example`, of which it never says whether it has one for
 * IPv6. It is silent about names that it does not know.
 */
async function openNameServer(): Promise<number> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const [, code] = Object.entries(CODES).find(([name]) => query.includes(name)) ?? [];
    if (code !== undefined) {
      const head = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80 | code, 0, 1, 0, 0, 0, 0, 0, 0])]);
      return socket.send(Buffer.concat([head, query.subarray(12, end)]), port, address);
    }
    const isV6 = query.readUInt16BE(end - 4) === 28;
    const isLocal = query.includes('local') && !isV6;
    if (!query.includes('known') && !isLocal) return;
    const header = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])]);
    const data = isV6
      ? Buffer.from('20010db8000000000000000000000001', 'hex')
      : Buffer.from(isLocal ? [127, 0, 0, 1] : [203, 0, 113, 7]);
    const answer = Buffer.from([0xc0, 12, 0, isV6 ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, data.length]);
    socket.send(Buffer.concat([header, query.subarray(12, end), answer, data]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  after(() => socket.close());
  return socket.address().port;
}

const resolve = publicNames([`127.0.0.1:${await openNameServer()}`]);

test('both kinds of addresses of a name', async () => {
  assert.deepEqual(await resolve('known.example'), [
    { address: '203.0.113.7', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
});

test('a name that is not there, or has no address, is not found', async () => {
  for (const name of ['missing.example', 'empty.example', `${'a'.repeat(64)}.example`])
    await assert.rejects(resolve(name), { code: 'ENOTFOUND' }, name);
});

test('of a name whose servers fail, refuse or say nothing, nobody knows whether it has an address', async () => {
  for (const name of ['failing.example', 'refused.example', 'silent.example'])
    await assert.rejects(resolve(name), { code: 'EAI_AGAIN' }, name);
});

test('a name is connected to although its name servers never say whether it has an address of the other kind', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const servers = [`127.0.0.1:${await openNameServer()}`, `127.0.0.1:${await openNameServer()}`];
  const dispatcher = openGuardedAgent({ allowInsecure: true, resolveName: publicNames(servers) });
  after(() => dispatcher.destroy());
  const { statusCode } = await request(`http://local.example:${(server.address() as AddressInfo).port}/`, { dispatcher });
  assert.equal(statusCode, 200);
});

/** Looks a name up in a process that may open no file but those of its program. */
const RESOLVE_WITHOUT_DEVICE = `
const [folder, nameServer] = process.argv.slice(1);
const { publicNames } = await import(folder + '/resolve-name.ts');
console.log(await publicNames([nameServer])('failing.example').catch(({ code }) => code));
`;

test('of a name that no name server could resolve, nobody knows its addresses, where the process may not open the null device either', async () => {
  const port = await openNameServer();
  const program = ['--input-type=module', '--eval', RESOLVE_WITHOUT_DEVICE, import.meta.dirname, `127.0.0.1:${port}`];
  const limited = ['--permission', `--allow-fs-read=${import.meta.dirname}`];
  // What the runner of the tests loads into each process lies elsewhere.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [...limited, ...program], { env });
  assert.equal(stdout.trim(), 'EAI_AGAIN');
});
