/** The configuration of HAProxy in docs/operating.md, before a real service where HAProxy is installed. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { freePort } from '../../reliability/harness/free-port.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { newConfirmation, uniqueId } from '../support/client.ts';
import { listBlocks } from '../support/document-blocks.ts';
import { type ServiceProcess, spawnService, type TestPartner, testServiceProcesses } from '../support/service.ts';

const isInstalled = spawnSync('haproxy', ['-v']).status === 0;
const PATH = '/v1/impact-transactions';
const LONG = 'a'.repeat(70_000);

interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of an answer, and fails where it is not there
  readonly body: any;
}

interface Proxied {
  readonly port: number;
  /** What the proxy has written to its log. */
  readonly log: () => string;
  readonly service: ServiceProcess;
  /** With a key that one address may use. */
  readonly allowed: TestPartner;
}

test('the proxy waits as long for an answer as docs/operating.md says', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  const [, seconds] = /time-out of (\d+) s for an answer/.exec(page) ?? [];
  const [block] = listBlocks().filter(({ tag }) => tag === 'haproxy');
  for (const side of ['client', 'server']) assert.match(block?.text ?? '', new RegExp(`^ +timeout ${side} ${seconds}s$`, 'm'));
});

const proxied = isInstalled ? await serveBehindProxy() : undefined;

async function serveBehindProxy(): Promise<Proxied> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-proxy-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const operationsPort = await freePort();
  const served = await testServiceProcesses(1, { TRUSTED_PROXIES: '127.0.0.1', OPERATIONS_PORT: `${operationsPort}` });
  const [service] = served.processes as [ServiceProcess];
  const allowed = await served.newPartner({ key: { allowedAddresses: ['127.0.0.77'] } });
  const port = await freePort();
  const log = await startProxy({ port, servicePort: new URL(service.baseUrl).port, operationsPort, folder });
  return { port, log, service, allowed };
}

describe('the proxy of docs/operating.md', { skip: !proxied && 'haproxy is not installed' }, () => {
  if (!proxied) return;
  const { port, log, service, allowed } = proxied;

  /** From this address of the machine. */
  async function ask(
    localAddress: string,
    headers: Record<string, string> = {},
    body?: string,
    path = PATH,
  ): Promise<ProxyAnswer> {
    const own = { 'x-api-key': allowed.key.apiKey, 'content-type': 'application/json', 'idempotency-key': uniqueId('key') };
    const asked = request({
      host: '127.0.0.1',
      port,
      localAddress,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...own, ...headers },
      rejectUnauthorized: false,
    });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    const text = (await answer.toArray()).join('');
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) };
  }

  function assertEnvelope({ status, headers, body }: ProxyAnswer, expected: number, code: string): void {
    assert.deepEqual([status, body.error.code], [expected, code]);
    assert.equal(body.error.correlation_id, headers['x-correlation-id']);
    assert.match(body.error.correlation_id, /^[A-Za-z0-9._:-]{8,128}$/);
  }

  test("the client's address is the one that the key allows, whatever the client says of it", async () => {
    const confirmed = await ask('127.0.0.77', {}, JSON.stringify(newConfirmation()));
    assert.equal(confirmed.status, 201, JSON.stringify(confirmed.body));
    const other = await ask('127.0.0.78', { 'x-forwarded-for': '127.0.0.77' }, JSON.stringify(newConfirmation()));
    assertEnvelope(other, 403, 'forbidden');
  });

  test('a correlation id of the partner stays, and one of the proxy reaches the answer', async () => {
    const query = `${PATH}?partner_event_id=event-of-nobody`;
    const named = await ask('127.0.0.77', { 'x-correlation-id': 'partners-own-id' }, undefined, query);
    assert.equal(named.headers['x-correlation-id'], 'partners-own-id');
    const unnamed = await ask('127.0.0.77', {}, undefined, query);
    assert.match(String(unnamed.headers['x-correlation-id']), /^proxy-/);
    assertEnvelope(unnamed, 404, 'contribution_not_found');
  });

  test('its log names the client, the path and the correlation id of a look-up, and not the event that was asked for', async () => {
    const id = uniqueId('corr');
    const query = `${PATH}?partner_event_id=event-of-nobody-${id}`;
    const answer = await ask('127.0.0.77', { 'x-correlation-id': id }, undefined, query);
    assert.equal(answer.status, 404);
    const unnamed = await ask('127.0.0.78', {}, JSON.stringify(newConfirmation()));
    const given = String(unnamed.headers['x-correlation-id']);
    const lineOf = (text: string) =>
      log()
        .split('\n')
        .find((line) => line.includes(text));
    await waitFor('line of each request', () => lineOf(id) !== undefined && lineOf(given) !== undefined, log);
    assert.match(lineOf(id) ?? '', new RegExp(`^127\\.0\\.0\\.77:\\d+ .* 404 .* proxy-\\S+ "${id}" "GET ${PATH} HTTP/1\\.1"$`));
    assert.match(
      lineOf(given) ?? '',
      new RegExp(`^127\\.0\\.0\\.78:\\d+ .* 403 .* ${given} "${given}" "POST ${PATH} HTTP/1\\.1"$`),
    );
    assert.ok(!log().includes('event-of-nobody'));
  });

  test('what the proxy refuses has the envelope: another path, a body too large', async () => {
    assertEnvelope(await ask('127.0.0.77', {}, undefined, '/docs/'), 404, 'invalid_request');
    assertEnvelope(await ask('127.0.0.77', {}, LONG), 413, 'invalid_request');
  });

  test('a list is larger than a body may be', async () => {
    const path = '/v1/settlements/stl_of_nobody_at_all/reconciliations';
    assertEnvelope(await ask('127.0.0.77', { 'content-type': 'text/csv' }, LONG, path), 404, 'invalid_request');
  });

  for (const head of [`POST ${PATH}`, 'PATCH /v1/webhook-endpoints/wep_x', 'DELETE /v1/webhook-endpoints/wep_x'])
    test(`a body that does not come reaches no service: ${head}`, async () => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      socket.write(`${head} HTTP/1.1\r\nHost: service\r\nX-API-Key: none\r\nContent-Length: 100\r\n\r\n{`);
      let received = '';
      for await (const chunk of socket.setEncoding('utf8')) received += chunk;
      assert.match(received, /^HTTP\/1\.1 408 .+\r\n/);
      assert.match(received, /"code":"internal_service_unavailable"/);
      assert.match(received, /\r\nx-correlation-id: proxy-/i);
    });

  test('without a service the outcome is unknown', async () => {
    await service.end('SIGKILL');
    const answer = await ask('127.0.0.77', {}, JSON.stringify(newConfirmation()));
    assertEnvelope(answer, 503, 'internal_service_unavailable');
    assert.equal(answer.headers['retry-after'], '1');
  });
});

test('while one of two services behind the proxy stops, no request of a partner fails', {
  ...HANG_LIMIT,
  skip: isInstalled ? false : 'haproxy is not installed',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-impact-proxy-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const [port, servicePort, operationsPort] = [await freePort(), `${await freePort()}`, await freePort()];
  const env = { TRUSTED_PROXIES: '127.0.0.1', PORT: servicePort, OPERATIONS_PORT: `${operationsPort}` };
  const served = await testServiceProcesses(1, env);
  const stopping = await spawnService(served.databaseUrl, { ...env, HOST: '127.0.0.2', OPERATIONS_HOST: '127.0.0.2' });
  const { key } = await served.newPartner();
  await startProxy({ port, servicePort, operationsPort, folder, second: '127.0.0.2' });
  const outcomes = new Map<string, number>();
  const headers = () => ({ 'x-api-key': key.apiKey, 'content-type': 'application/json', 'idempotency-key': uniqueId('key') });
  const confirm = async () => {
    const where = { host: '127.0.0.1', port, path: PATH, method: 'POST', rejectUnauthorized: false };
    const asked = request({ ...where, headers: headers() }).end(JSON.stringify(newConfirmation()));
    const outcome = await once(asked, 'response').then(
      async ([answer]) => {
        await answer.toArray();
        return String(answer.statusCode);
      },
      (error: Error) => error.message,
    );
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  let isOver = false;
  const confirmOn = async () => {
    while (!isOver) await confirm();
  };
  const clients = Array.from({ length: 4 }, confirmOn);
  await waitFor(
    'second service in full health',
    async () => (await readHealth(folder, 'two')) === '4',
    () => readHealth(folder, 'two'),
  );
  const code = await stopping.end('SIGTERM');
  for (let asked = 0; asked < 20; asked++) await confirm();
  isOver = true;
  await Promise.all(clients);
  assert.equal(code, 0);
  assert.deepEqual([...outcomes.keys()], ['201'], JSON.stringify([...outcomes]));
});

interface ProxyOptions {
  readonly port: number;
  readonly servicePort: string;
  readonly operationsPort: number;
  readonly folder: string;
  /** The address of a further service, on the same ports. */
  readonly second?: string;
}

/**
 * The block of the page, with a certificate and ports of this machine.
 *
 * @returns What the proxy has written.
 */
async function startProxy({ port, servicePort, operationsPort, folder, second }: ProxyOptions): Promise<() => string> {
  const [block] = listBlocks().filter(({ tag }) => tag === 'haproxy');
  const certificate = join(folder, 'partners.pem');
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=partners'];
  execFileSync('openssl', [...words, '-keyout', `${certificate}.key`, '-out', certificate], { stdio: 'ignore' });
  writeFileSync(certificate, readFileSync(certificate, 'utf8') + readFileSync(`${certificate}.key`, 'utf8'));
  const configuration = join(folder, 'haproxy.cfg');
  const changes: [string, string][] = [
    ['/etc/haproxy/partners.pem', certificate],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['connect port 8081', `connect port ${operationsPort}`],
    ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
  ];
  const text = changes.reduce((changed, [from, to]) => {
    assert.equal(changed.split(from).length, 2, `${from} stands in the block once`);
    return changed.replace(from, to);
  }, block?.text ?? '');
  const [server = '', address = ''] = /^ +server one (\S+):.+$/m.exec(text) ?? [];
  const further = second === undefined ? '' : `${server.replace('one', 'two').replace(address, second)}\n`;
  writeFileSync(configuration, `${text}${further}global\n    stats socket ${join(folder, 'state')}\n`);
  const check = spawnSync('haproxy', ['-c', '-f', configuration], { encoding: 'utf8' });
  assert.equal(check.status, 0, check.stderr);
  const proxy = spawn('haproxy', ['-db', '-f', configuration]);
  let said = '';
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', (chunk) => (said += chunk));
  after(() => proxy.kill('SIGKILL'));
  await waitFor('HAProxy that takes connections', () => {
    if (proxy.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    return canConnect(port);
  });
  return () => said;
}

/** One less than `rise` and `fall` together for a server of which some checks in a row succeeded; from less it is taken away sooner. */
async function readHealth(folder: string, server: string): Promise<string | undefined> {
  const socket = connectPlain(join(folder, 'state'));
  socket.end('show stat\n');
  const [names = '', ...rows] = (await socket.setEncoding('utf8').toArray()).join('').split('\n');
  const row = rows.find((each) => each.startsWith(`service,${server},`));
  return row?.split(',')[names.split(',').indexOf('check_health')];
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
