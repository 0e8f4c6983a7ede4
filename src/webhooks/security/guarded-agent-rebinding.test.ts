/**
 * What the guard lets through, with the guard on: in a network of its own this machine has public addresses, and nothing that is
 * sent leaves it. The file runs itself again inside of one.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, test } from 'node:test';
import { request } from 'undici';
import { AddressRefusedError, openGuardedAgent } from './guarded-agent.ts';
import type { ResolveName } from './resolve-name.ts';

const INSIDE = 'PARTNER_IMPACT_TEST_NETWORK';
/** The addresses of two root name servers. In the test's network they belong to this machine. */
const PUBLIC_V4 = '198.41.0.4';
const PUBLIC_V6 = '2001:503:ba3e::2:30';
const SET_UP = `ip link set lo up && ip addr add ${PUBLIC_V4}/32 dev lo && ip -6 addr add ${PUBLIC_V6}/128 dev lo nodad`;
const UNSHARE = ['--user', '--map-root-user', '--net', 'sh', '-c'];

if (process.env[INSIDE] === undefined) {
  const isPossible = spawnSync('unshare', [...UNSHARE, SET_UP]).status === 0;
  test('in a network of its own', { skip: !isPossible && 'this system gives no network namespace (unshare, ip)' }, () => {
    const again = [process.execPath, '--test-reporter=tap', import.meta.filename];
    // The runner's own variable would make the inner run speak to the outer runner.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync('unshare', [...UNSHARE, `${SET_UP} && exec "$0" "$@"`, ...again], {
      env: { ...env, [INSIDE]: '1' },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^# pass 5$/m);
  });
} else {
  describe('decisions, section 7: rebinding', () => testRebinding());
}

const PORT = 8443;

/** Counts who comes to one address. */
async function withListeners(hosts: readonly string[], work: (reached: Record<string, number>) => Promise<void>): Promise<void> {
  const reached: Record<string, number> = Object.fromEntries(hosts.map((host) => [host, 0]));
  const servers: Server[] = [];
  for (const host of hosts) {
    const server = createServer((socket) => {
      reached[host] = (reached[host] ?? 0) + 1;
      socket.destroy();
    });
    servers.push(server.listen(PORT, host));
    await once(server, 'listening');
  }
  try {
    await work(reached);
  } finally {
    for (const server of servers) server.close();
  }
}

/** Answers the first list first, then the second, and so on. */
function answeringInTurn(...turns: string[][]): { resolveName: ResolveName; calls: () => number } {
  let calls = 0;
  const resolveName = async () => (turns[calls++] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return { resolveName, calls: () => calls };
}

async function post(resolveName: ResolveName, times = 1): Promise<unknown[]> {
  const agent = openGuardedAgent({ allowInsecure: false, resolveName });
  const failures: unknown[] = [];
  for (let n = 0; n < times; n++) {
    const options = { dispatcher: agent, method: 'POST', body: '{}' } as const;
    await request(`https://hooks.example.com:${PORT}/`, options).catch((failure) => failures.push(failure));
  }
  await agent.destroy();
  return failures;
}

function testRebinding(): void {
  test('a public address is connected to', async () => {
    await withListeners([PUBLIC_V4, '127.0.0.1'], async (reached) => {
      const [failure] = await post(answeringInTurn([PUBLIC_V4]).resolveName);
      // The listener closes at once, which is the failure; it was reached.
      assert.ok(!(failure instanceof AddressRefusedError));
      assert.deepEqual(reached, { [PUBLIC_V4]: 1, '127.0.0.1': 0 });
    });
  });

  test('a name that is public first and 127.0.0.1 second: the connection goes to the address that was judged', async () => {
    await withListeners([PUBLIC_V4, '127.0.0.1'], async (reached) => {
      const turns = answeringInTurn([PUBLIC_V4], ['127.0.0.1']);
      await post(turns.resolveName);
      assert.equal(turns.calls(), 1);
      assert.deepEqual(reached, { [PUBLIC_V4]: 1, '127.0.0.1': 0 });
    });
  });

  test('the next connection is checked again, and refused', async () => {
    await withListeners([PUBLIC_V4, '127.0.0.1'], async (reached) => {
      const [first, second] = await post(answeringInTurn([PUBLIC_V4], ['127.0.0.1']).resolveName, 2);
      assert.ok(!(first instanceof AddressRefusedError));
      assert.ok(second instanceof AddressRefusedError);
      assert.deepEqual(reached, { [PUBLIC_V4]: 1, '127.0.0.1': 0 });
    });
  });

  test('a public and a private address together: neither is connected to', async () => {
    await withListeners([PUBLIC_V4, '127.0.0.1'], async (reached) => {
      for (const answers of [
        [PUBLIC_V4, '127.0.0.1'],
        ['127.0.0.1', PUBLIC_V4],
      ]) {
        const [failure] = await post(answeringInTurn(answers).resolveName);
        assert.ok(failure instanceof AddressRefusedError);
      }
      assert.deepEqual(reached, { [PUBLIC_V4]: 0, '127.0.0.1': 0 });
    });
  });

  test('of two public addresses the one that answers is connected to', async () => {
    await withListeners([PUBLIC_V4], async (reached) => {
      await post(answeringInTurn([PUBLIC_V6, PUBLIC_V4]).resolveName);
      assert.deepEqual(reached, { [PUBLIC_V4]: 1 });
    });
  });
}
