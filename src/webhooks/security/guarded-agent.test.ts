import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, isIP, isIPv6, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { Agent } from 'undici';
import { DISGUISED_HOSTS, PUBLIC_ADDRESSES, REFUSED_ADDRESSES, REFUSED_URLS } from '../../../test/support/address-corpus.ts';
import { HANG_LIMIT } from '../../../test/support/assertions/hang-limit.ts';
import { makeCertificate } from '../../../test/support/webhooks/make-certificate.ts';
import { AddressRefusedError, openGuardedAgent } from './guarded-agent.ts';
import type { ResolveName } from './resolve-name.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

function keepOpen<Kept extends Agent | Server>(kept: Kept): Kept {
  closing.push(() => (kept instanceof Agent ? kept.destroy() : kept.close()));
  return kept;
}

async function listen<Listener extends Server>(server: Listener, host = '127.0.0.1'): Promise<number> {
  keepOpen(server).listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Some containers have no IPv6 at all. */
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));

/** Reached by every address of this machine, whatever its family; counts who comes, and says nothing. */
async function listenEverywhere() {
  const reached = { times: 0 };
  const server = createServer((socket) => {
    reached.times++;
    socket.destroy();
  });
  return { reached, port: await listen(server, hasIpv6 ? '::' : '0.0.0.0') };
}

const answering =
  (...addresses: string[]): ResolveName =>
  async () =>
    addresses.map((address): LookupAddress => ({ address, family: isIP(address) }));

/** What a request to this URL fails with. */
async function failureOf(agent: Agent, url: string): Promise<unknown> {
  try {
    const { pathname, search, origin } = new URL(url);
    const { statusCode, body } = await agent.request({ origin, path: pathname + search, method: 'POST', body: '{}' });
    await body.dump();
    return `answered ${statusCode}`;
  } catch (failure) {
    return failure;
  }
}

async function assertRefused(agent: Agent, url: string, refusal: string): Promise<void> {
  const failure = await failureOf(agent, url);
  assert.ok(failure instanceof AddressRefusedError, `${url}: ${failure}`);
  assert.equal(failure.refusal, refusal, url);
}

const inBrackets = (address: string) => (isIPv6(address) ? `[${address}]` : address);
const refusedAddresses = Object.entries(REFUSED_ADDRESSES).flatMap(([name, list]) =>
  list.map((address) => [address, name] as const),
);

describe('decisions, section 7: no address of the corpus is ever connected to', () => {
  test('the listener is one that an agent without a guard reaches by many of them', async () => {
    const { reached, port } = await listenEverywhere();
    const unguarded = keepOpen(new Agent({ connect: { rejectUnauthorized: false } }));
    const ways = [
      '127.0.0.1',
      '127.1.2.3',
      '0.0.0.0',
      '0x7f.1',
      'localhost',
      ...(hasIpv6 ? ['[::1]', '[::]', '[::ffff:127.0.0.1]'] : []),
    ];
    for (const host of ways) await failureOf(unguarded, `https://${host}:${port}/`);
    assert.equal(reached.times, ways.length);
  });

  test('as the host of a URL', async () => {
    const { reached, port } = await listenEverywhere();
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering('127.0.0.1') }));
    for (const [address, name] of refusedAddresses.filter(([each]) => !each.includes('%'))) {
      await assertRefused(agent, `https://${inBrackets(address)}:${port}/`, name);
    }
    assert.equal(reached.times, 0);
  });

  test('in disguise', async () => {
    const { reached, port } = await listenEverywhere();
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering('127.0.0.1') }));
    for (const [host, reason] of DISGUISED_HOSTS) await assertRefused(agent, `https://${host}:${port}/`, reason);
    assert.equal(reached.times, 0);
  });

  test('as the only answer for a public name', async () => {
    const { reached, port } = await listenEverywhere();
    for (const [address, name] of refusedAddresses) {
      const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering(address) }));
      await assertRefused(agent, `https://hooks.example.com:${port}/`, name);
    }
    assert.equal(reached.times, 0);
  });

  test('as one answer among public ones, wherever it stands', async () => {
    const { reached, port } = await listenEverywhere();
    for (const [address, name] of refusedAddresses) {
      for (const answers of [
        [address, ...PUBLIC_ADDRESSES],
        [...PUBLIC_ADDRESSES, address],
      ]) {
        const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering(...answers) }));
        await assertRefused(agent, `https://hooks.example.com:${port}/`, name);
      }
    }
    assert.equal(reached.times, 0);
  });

  test('by a URL that should not have been registered', async () => {
    const { reached, port } = await listenEverywhere();
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering('127.0.0.1') }));
    for (const [url] of REFUSED_URLS.filter(([each]) => URL.canParse(each))) {
      const parsed = new URL(url);
      if (parsed.hostname !== '') parsed.port = String(port);
      assert.ok((await failureOf(agent, parsed.href)) instanceof Error, url);
    }
    assert.equal(reached.times, 0);
  });

  test('by plain http, even to a public address', async () => {
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering('1.1.1.1') }));
    await assertRefused(agent, 'http://hooks.example.com/', 'plain_http');
    await assertRefused(agent, 'http://1.1.1.1/', 'plain_http');
  });
});

describe('a refusal', () => {
  test('names the class in its message; what the name resolved to is for operators only', async () => {
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering('1.1.1.1', '10.1.2.3') }));
    const failure = await failureOf(agent, 'https://hooks.example.com/');
    assert.ok(failure instanceof AddressRefusedError);
    assert.equal(failure.message, 'hooks.example.com resolves to a private address.');
    assert.equal(failure.address, '10.1.2.3');
    const literal = await failureOf(agent, 'https://[::1]/');
    assert.ok(literal instanceof AddressRefusedError);
    assert.equal(literal.message, '::1 is a loopback address.');
  });

  test('is that of a name with more addresses than are looked at, whatever they are', async () => {
    const { reached, port } = await listenEverywhere();
    const agentOf = (count: number, address: string) =>
      keepOpen(openGuardedAgent({ allowInsecure: true, resolveName: answering(...Array<string>(count).fill(address)) }));
    for (const address of ['127.0.0.1', '169.254.169.254'])
      await assertRefused(agentOf(65, address), `https://hooks.example.com:${port}/`, 'many_addresses');
    assert.equal(reached.times, 0);
    await assertRefused(agentOf(64, '169.254.169.254'), `https://hooks.example.com:${port}/`, 'metadata');
    assert.ok(
      !((await failureOf(agentOf(64, '127.0.0.1'), `https://hooks.example.com:${port}/`)) instanceof AddressRefusedError),
    );
    const failure = await failureOf(agentOf(4_000, '127.0.0.1'), 'https://hooks.example.com/');
    assert.equal((failure as Error).message, 'hooks.example.com resolves to more than 64 addresses.');
  });

  test('is not for ever: the next request asks again', async () => {
    let calls = 0;
    const resolveName: ResolveName = async () => {
      calls++;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName }));
    for (const _ of [1, 2, 3]) await assertRefused(agent, 'https://hooks.example.com/', 'loopback');
    assert.equal(calls, 3);
  });
});

describe('a name service that fails', () => {
  test('its error is what the request fails with', async () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND hooks.example.com'), { code: 'ENOTFOUND' });
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: () => Promise.reject(error) }));
    assert.equal(await failureOf(agent, 'https://hooks.example.com/'), error);
  });

  test('no address at all is ENOTFOUND', async () => {
    const agent = keepOpen(openGuardedAgent({ allowInsecure: false, resolveName: answering() }));
    assert.equal(((await failureOf(agent, 'https://hooks.example.com/')) as NodeJS.ErrnoException).code, 'ENOTFOUND');
  });

  test('one that never answers ends with the time for connecting', async () => {
    const agent = keepOpen(
      openGuardedAgent({ allowInsecure: false, connectTimeoutMs: 100, resolveName: () => new Promise(() => {}) }),
    );
    assert.equal(
      ((await failureOf(agent, 'https://hooks.example.com/')) as NodeJS.ErrnoException).code,
      'UND_ERR_CONNECT_TIMEOUT',
    );
  });

  test('the machine’s own answers when no test does', async () => {
    const port = await listen(
      createHttpServer((_, response) => response.end()),
      'localhost',
    );
    const development = keepOpen(openGuardedAgent({ allowInsecure: true }));
    assert.equal(await failureOf(development, `http://localhost:${port}/`), 'answered 200');
  });
});

describe('an agent that may connect to this machine', () => {
  const options = { allowInsecure: false, allowThisMachine: true };

  test('reaches 127.0.0.1 and ::1 by plain http', async () => {
    for (const host of ['127.0.0.1', ...(hasIpv6 ? ['::1'] : [])]) {
      const port = await listen(
        createHttpServer((_, response) => response.end()),
        host,
      );
      assert.equal(await failureOf(keepOpen(openGuardedAgent(options)), `http://${inBrackets(host)}:${port}/`), 'answered 200');
    }
  });

  test('reaches no other address and no name, whatever that resolves to', async () => {
    const { reached, port } = await listenEverywhere();
    const own = ['127.0.0.1', '::1'];
    const agent = keepOpen(openGuardedAgent({ ...options, resolveName: answering('127.0.0.1') }));
    for (const [address, name] of refusedAddresses.filter(([each]) => !own.includes(each) && !each.includes('%'))) {
      await assertRefused(agent, `https://${inBrackets(address)}:${port}/`, name);
      await assertRefused(agent, `http://${inBrackets(address)}:${port}/`, 'plain_http');
    }
    for (const answers of [own, ['1.1.1.1', '127.0.0.1'], ['::1']]) {
      const misled = keepOpen(openGuardedAgent({ ...options, resolveName: answering(...answers) }));
      await assertRefused(misled, `https://hooks.example.com:${port}/`, 'loopback');
      await assertRefused(misled, `http://hooks.example.com:${port}/`, 'plain_http');
      await assertRefused(misled, `https://localhost:${port}/`, 'local_name');
    }
    assert.equal(reached.times, 0);
  });

  test('takes a redirection for the answer', async () => {
    const { reached, port: inside } = await listenEverywhere();
    const port = await listen(
      createHttpServer((_, response) => response.writeHead(307, { location: `http://127.0.0.1:${inside}/` }).end()),
    );
    assert.equal(await failureOf(keepOpen(openGuardedAgent(options)), `http://127.0.0.1:${port}/`), 'answered 307');
    assert.equal(reached.times, 0);
  });
});

describe('a connection that is allowed', () => {
  const certificate = makeCertificate('hooks.example.com');
  const listenTls = async () => {
    const seen: { serverName: unknown; host: string | undefined; protocol: unknown }[] = [];
    const onRequest: RequestListener = ({ socket, headers }, response) => {
      const { servername, alpnProtocol } = socket as TLSSocket & { servername: unknown };
      seen.push({ serverName: servername, host: headers.host, protocol: alpnProtocol });
      response.end();
    };
    let accepted = 0;
    // It would rather speak HTTP/2, which the agent must not offer.
    const server = createHttpsServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, onRequest).on(
      'connection',
      () => accepted++,
    );
    return { seen, connections: () => accepted, port: await listen(server) };
  };
  const trusting = { allowInsecure: true, certificateAuthorities: certificate.cert };

  test('keeps the name for server name, certificate and Host', async () => {
    const { seen, port } = await listenTls();
    const agent = keepOpen(openGuardedAgent({ ...trusting, resolveName: answering('127.0.0.1') }));
    assert.equal(await failureOf(agent, `https://hooks.example.com:${port}/`), 'answered 200');
    assert.deepEqual(seen, [{ serverName: 'hooks.example.com', host: `hooks.example.com:${port}`, protocol: 'http/1.1' }]);
  });

  test('is refused a certificate of another name or an unknown authority', async () => {
    const { seen, port } = await listenTls();
    const codeOf = async (agent: Agent, url: string) => ((await failureOf(keepOpen(agent), url)) as NodeJS.ErrnoException).code;
    const resolveName = answering('127.0.0.1');
    const other = openGuardedAgent({ ...trusting, resolveName });
    assert.equal(await codeOf(other, `https://other.example.com:${port}/`), 'ERR_TLS_CERT_ALTNAME_INVALID');
    const literal = openGuardedAgent(trusting);
    assert.equal(await codeOf(literal, `https://127.0.0.1:${port}/`), 'ERR_TLS_CERT_ALTNAME_INVALID');
    const untrusting = openGuardedAgent({ allowInsecure: true, resolveName });
    assert.equal(await codeOf(untrusting, `https://hooks.example.com:${port}/`), 'DEPTH_ZERO_SELF_SIGNED_CERT');
    assert.deepEqual(seen, []);
  });

  test('goes to the next address when the first does not answer', async () => {
    const { seen, port } = await listenTls();
    const agent = keepOpen(openGuardedAgent({ ...trusting, resolveName: answering('::1', '127.0.0.1') }));
    assert.equal(await failureOf(agent, `https://hooks.example.com:${port}/`), 'answered 200');
    assert.equal(seen.length, 1);
  });

  test('resolves its name once, and again only for the next connection', async () => {
    const { seen, port, connections } = await listenTls();
    let calls = 0;
    const resolveName: ResolveName = (name) => {
      calls++;
      return answering('127.0.0.1')(name);
    };
    const openOne = () => keepOpen(openGuardedAgent({ ...trusting, resolveName, agentOptions: { connections: 1 } }));
    const agents = [openOne(), openOne()];
    for (const agent of agents) for (const _ of [1, 2, 3]) await failureOf(agent, `https://hooks.example.com:${port}/`);
    assert.deepEqual({ calls, connections: connections(), requests: seen.length }, { calls: 2, connections: 2, requests: 6 });
  });

  for (const hint of ['', 'timeout=5', 'timeout=600'])
    test(`is given up by us before an idle receiver would close it, who says ${hint || 'nothing'}`, {
      ...HANG_LIMIT,
    }, async () => {
      const server = createHttpServer({ keepAliveTimeout: 0 }, (_request, response) => {
        if (hint !== '') response.setHeader('keep-alive', hint);
        response.end('noted');
      });
      const port = await listen(server);
      const [connection] = await Promise.all([
        once(server, 'connection'),
        failureOf(keepOpen(openGuardedAgent({ allowInsecure: true })), `http://127.0.0.1:${port}/`),
      ]);
      const since = performance.now();
      await once(connection[0], 'close');
      assert.ok(performance.now() - since < 2_000);
    });

  test('waits for no other one to the same receiver', HANG_LIMIT, async () => {
    const [wanted, sockets] = [4, new Set<Socket>()];
    // It accepts connections, and answers no TLS handshake.
    const server = createServer((socket) => {
      sockets.add(socket.resume().on('close', () => sockets.delete(socket)));
      if (sockets.size === wanted) server.emit('together');
    });
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const agent = keepOpen(openGuardedAgent({ allowInsecure: true }));
    const together = once(server, 'together').then(() => 'together');
    const requests = Array.from({ length: wanted }, () => failureOf(agent, url));
    assert.equal(await Promise.race([together, Promise.all(requests)]), 'together');
  });

  test('follows no redirect: the answer is the 302 itself', async () => {
    const inner = await listenEverywhere();
    const location = `http://127.0.0.1:${inner.port}/`;
    const port = await listen(createHttpServer((_, response) => response.writeHead(302, { location }).end()));
    const agent = keepOpen(openGuardedAgent({ allowInsecure: true }));
    assert.equal(await failureOf(agent, `http://127.0.0.1:${port}/`), 'answered 302');
    assert.equal(inner.reached.times, 0);
  });

  test('knows no proxy, whatever the environment names', async (context) => {
    const proxy = await listenEverywhere();
    const port = await listen(createHttpServer((_, response) => response.end()));
    for (const name of [
      'http_proxy',
      'https_proxy',
      'all_proxy',
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ]) {
      const before = process.env[name];
      process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy.port}`;
      context.after(() => {
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      });
    }
    const agent = keepOpen(openGuardedAgent({ allowInsecure: true }));
    assert.equal(await failureOf(agent, `http://127.0.0.1:${port}/`), 'answered 200');
    assert.equal(proxy.reached.times, 0);
  });
});
