/** The admin listener takes the service away from nobody, and tells nothing to a page that named it by a name of its own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { openAdminListener } from '../../src/observability/admin-listener.ts';
import { ROUTES } from '../../src/operator-api/routes.ts';
import { DEADLINE_MS } from '../../src/partner-api/http/deadline.ts';

const CONNECTIONS_MAX = 64;

/** A listener whose answers the test gives. */
async function open({
  metrics = async () => 'up 1\n',
  checkReadiness = async (): Promise<string | undefined> => undefined,
  further = undefined as RequestListener | undefined,
} = {}) {
  const names = ['service.internal'];
  const listener = await openAdminListener({ host: '127.0.0.1', port: 0, names, metrics, checkReadiness, further });
  after(() => listener.close());
  const ask = async (path: string, host = '127.0.0.1'): Promise<[status: number | undefined, text: string]> => {
    const sent = request({ port: listener.port, host: '127.0.0.1', path, headers: { host }, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return [response.statusCode, (await response.setEncoding('utf8').toArray()).join('')];
  };
  return { port: listener.port, ask };
}

describe('Host', () => {
  const OWN = [
    '127.0.0.1',
    '10.1.2.3:8081',
    '[::1]:8081',
    '[fd00::1]',
    'localhost',
    'LOCALHOST:8081',
    'service.internal',
    'Service.Internal.:80',
  ];
  const OTHERS = [
    'evil.example',
    'evil.example:8081',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::1].evil.example',
    '2130706433',
  ];

  test('of a request for metrics must be an address, localhost or a configured name', async () => {
    const { ask } = await open();
    for (const host of OWN) assert.deepEqual(await ask('/metrics', host), [200, 'up 1\n'], host);
    for (const host of OTHERS) assert.equal((await ask('/metrics', host))[0], 421, host);
  });

  test('of a target with a host of its own is that host, whatever the header says', async () => {
    const { ask } = await open({ further: ({ headers }, response) => void response.end(headers.host) });
    for (const host of OTHERS) assert.equal((await ask(`http://${host}/operator/v1/session`, 'localhost'))[0], 421, host);
    assert.equal((await ask('http://localhost@evil.example/', 'localhost'))[0], 421);
    for (const host of OWN) assert.deepEqual(await ask(`HTTP://${host}/operator/v1/session`, 'evil.example'), [200, host]);
  });

  test('of a probe may be any', async () => {
    const { ask } = await open();
    for (const host of [...OWN, ...OTHERS])
      assert.deepEqual([(await ask('/livez', host))[0], (await ask('/readyz', host))[0]], [200, 200], host);
  });
});

describe('requests at once', () => {
  for (const path of ['/metrics', '/readyz'])
    test(`${path} is made once for all who wait for it, and never twice at a time`, async () => {
      let underWay = 0;
      let made = 0;
      const make = async () => {
        assert.equal(++underWay, 1);
        made++;
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        return 'up 1\n';
      };
      const { ask } = await open({ metrics: make, checkReadiness: async () => void (await make()) });
      const turns = 5;
      const askInTurns = async () => {
        for (let turn = 0; turn < turns; turn++) assert.equal((await ask(path))[0], 200);
      };
      await Promise.all(Array.from({ length: 40 }, askInTurns));
      assert.ok(made >= turns && made < 40 * turns, `made ${made} times`);
    });

  test('one that fails fails alone', async () => {
    let asked = 0;
    const { ask } = await open({ metrics: async () => (++asked === 1 ? Promise.reject(new Error('too early')) : 'up 1\n') });
    assert.deepEqual(await ask('/metrics'), [503, 'no metrics: too early\n']);
    assert.deepEqual(await ask('/metrics'), [200, 'up 1\n']);
  });
});

describe('connections', () => {
  test('of operators last for the answer that a change took too long, after the sign-in was judged', async () => {
    const { ask } = await open({ further: ({ socket }, response) => void response.end(String(socket.timeout)) });
    // A list has sent bytes until shortly before.
    const deadlines = ROUTES.filter(({ takesList }) => !takesList).map(({ deadlineMs = DEADLINE_MS }) => deadlineMs);
    const [, silentForMs] = await ask('/operator/v1/session');
    assert.ok(Number(silentForMs) >= Math.max(...deadlines) + DEADLINE_MS, `${silentForMs} ms without a byte`);
  });

  const openMany = async (port: number, count: number): Promise<Socket[]> => {
    const sockets: Socket[] = [];
    for (let opened = 0; opened < count; opened++) {
      const socket = connect(port, '127.0.0.1');
      after(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      sockets.push(socket);
    }
    return sockets;
  };

  test('beyond 64 end the oldest on which nothing is under way, and a probe is answered', async () => {
    const released = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const checkReadiness = async () => {
      asked.resolve();
      await released.promise;
      return undefined;
    };
    const { port, ask } = await open({ checkReadiness });
    const underWay = ask('/readyz');
    await asked.promise;
    const sockets = await openMany(port, CONNECTIONS_MAX + 9);
    await Promise.all(sockets.slice(0, 10).map((socket) => socket.closed || once(socket.resume(), 'close')));
    assert.deepEqual(await ask('/livez'), [200, 'alive\n']);
    released.resolve();
    assert.equal((await underWay)[0], 200);
    for (const socket of sockets) socket.destroy();
  });
});
