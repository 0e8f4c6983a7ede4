/** What a delivery tells of a certificate that is not trusted. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { makeCertificate } from '../../../test/support/webhooks/make-certificate.ts';
import { openGuardedAgent } from '../security/guarded-agent.ts';
import { send } from './send.ts';

const NAME = 'hooks.example.com';
const valid = makeCertificate(NAME);
const expired = makeCertificate(NAME, -1);

for (const [what, { served = valid, trusted = [served.cert], host = NAME }, expected] of [
  ['a valid one', {}, null],
  ['one that has expired', { served: expired }, 'tls_expired'],
  ['one of another name', { host: 'other.example.com' }, 'tls_name'],
  ['one of an unknown authority', { trusted: [] }, 'tls_untrusted'],
] as readonly [string, { served?: typeof valid; trusted?: Buffer[]; host?: string }, string | null][])
  test(`${what}: ${expected ?? 'delivered'}`, async () => {
    const server = createServer(served, (_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    after(() => server.close());
    const agent = openGuardedAgent({
      allowInsecure: true,
      resolveName: async () => [{ address: '127.0.0.1', family: 4 }],
      ...(trusted[0] && { certificateAuthorities: trusted[0] }),
    });
    after(() => agent.destroy());
    const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
    const { errorClass, status } = await send(agent, { url, headers: {}, body: Buffer.from('{}') });
    assert.deepEqual([errorClass, status], [expected, expected === null ? 200 : null]);
  });
