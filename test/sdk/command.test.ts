/** The command of the package: `webhook verify`, `webhook listen` and what it says of itself. `rehearse` is in test/sandbox. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { buildSdk } from '../../scripts/build-sdk.mjs';
import { explainSignature } from '../../sdk/src/command/explain-signature.ts';
import { verdictInWords } from '../../sdk/src/command/present-verdict.ts';
import { readHeaders } from '../../sdk/src/command/read-headers.ts';
import { confirmedEvent, signedRequest } from '../../sdk/src/testing.ts';
import * as ofService from '../../src/webhooks/receiver/explain-signature.ts';
import * as wordsOfService from '../../src/webhooks/receiver/present-verdict.ts';
import { readHeaders as readHeadersOfService } from '../../src/webhooks/receiver/read-headers.ts';
import { newSecret } from '../../src/webhooks/security/signature.ts';
import { waitFor } from '../support/assertions/wait-for.ts';
import { ROOT } from '../support/document-blocks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('sdk-command');
const SECRET = newSecret();
const manifest = JSON.parse(readFileSync(join(ROOT, 'sdk/package.json'), 'utf8'));
buildSdk();
const PROGRAM = join(ROOT, 'sdk', manifest.bin['partner-impact-sdk']);

const run = (...args: string[]) => runWith({}, args);

function runWith(
  settings: Record<string, string>,
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...settings } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** Nobody reads its standard output. */
async function runUnread(...args: string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stderr };
}

async function delivery(): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const request = signedRequest({ secret: SECRET, event: confirmedEvent(1n) });
  return { headers: Object.fromEntries(request.headers), body: Buffer.from(await request.arrayBuffer()) };
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('webhook verify', () => {
  const verify = async (secret: string, change: (body: Buffer) => Buffer | string = (body) => body, ...args: string[]) => {
    const { headers, body } = await delivery();
    const files = [
      write('secret.txt', `${secret}\n`),
      write('headers.json', JSON.stringify(headers)),
      write('body', change(body)),
    ];
    const [secretFile = '', headersFile = '', bodyFile = ''] = files;
    return run('webhook', 'verify', '--secret-file', secretFile, '--headers', headersFile, '--body', bodyFile, ...args);
  };

  test('a valid delivery: exit code 0', async () => {
    const { code, stdout } = await verify(SECRET);
    assert.equal(code, 0);
    assert.match(stdout, /^The signature is valid: X-Service-Signature, /);
  });

  test('another secret, a body that was written again, an old time: exit code 1, and what differs', async () => {
    assert.match((await verify(newSecret())).stdout, /the secret is another one/);
    const changed = await verify(SECRET, (body) => JSON.stringify(JSON.parse(body.toString()), null, 2), '--json');
    assert.deepEqual([changed.code, JSON.parse(changed.stdout).causes], [1, ['body_compacted']]);
    const now = String(Math.floor(Date.now() / 1000) + 3_600);
    const late = await verify(SECRET, undefined, '--now', now);
    assert.deepEqual([late.code, /300 s either way are accepted/.test(late.stdout)], [1, true]);
  });

  test('the secret is never printed, though a header holds it', async () => {
    const headers = write('headers.txt', `X-Service-Timestamp: 1767225600\nX-Service-Signature: ${SECRET}\n`);
    const secret = write('secret.txt', SECRET);
    const { stdout } = await run('webhook', 'verify', '--secret-file', secret, '--headers', headers, '--body', headers);
    assert.ok(stdout.includes('whsec_…') && !stdout.includes(SECRET), stdout);
  });

  test('says of a delivery what the command of the service says', async () => {
    const { headers, body } = await delivery();
    const nowSeconds = Number(headers['x-service-timestamp']);
    const decoded = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const changes: [secret: string, body: Buffer | string, headers: Record<string, string>, seconds: number][] = [
      [SECRET, body, {}, 0],
      [SECRET, body, {}, 301],
      [` ${SECRET}`, body, {}, 0],
      [SECRET.slice('whsec_'.length), body, {}, 0],
      [decoded.toString('latin1'), body, {}, 0],
      [newSecret(), body, {}, 0],
      [SECRET, `${body}\n`, {}, 0],
      [SECRET, `\u{FEFF}${body}`, {}, 0],
      [SECRET, body.toString('latin1'), {}, 0],
      [SECRET, JSON.stringify(JSON.parse(String(body)), null, 4), {}, 0],
      [SECRET, 'not JSON', {}, 0],
      [SECRET, body, { 'x-service-signature': '' }, 0],
      [SECRET, body, { 'x-service-signature': 'v1=\u001b[31m' }, 0],
      [SECRET, body, { 'x-service-timestamp': 'yesterday' }, 0],
      [SECRET, body, { 'x-service-timestamp': '' }, 0],
    ];
    for (const [secret, changedBody, change, seconds] of changes) {
      const given = {
        secret,
        headers: { ...headers, ...change },
        body: Buffer.from(changedBody),
        nowSeconds: nowSeconds + seconds,
      };
      const [own, expected] = [explainSignature(given), ofService.explainSignature(given)];
      assert.deepEqual(own, expected);
      assert.equal(verdictInWords(own), wordsOfService.verdictInWords(expected));
    }
    for (const text of ['A: 1\nB:2', '{"A":1,"b":["2","3"]}', '> POST /a HTTP/1.1\n> A: 1', '\u{FEFF}A: 1'])
      assert.deepEqual(readHeaders(text), readHeadersOfService(text));
  });
});

test('webhook listen ends when nobody reads its lines any more', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'webhook', 'listen'], { stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  child.stdout.destroy();
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    const [address] = /http:\S+/.exec(said) ?? [];
    // The end may come before the answer.
    if (address) await fetch(address, { method: 'POST', body: (await delivery()).body.toString() }).catch(() => {});
  }
  assert.deepEqual(await ended, [141, null], said);
  assert.doesNotMatch(said, /\n {4}at /);
});

test('webhook listen: a challenge is answered, a delivery is shown with its verdict, a repeated one too', async () => {
  const secret = write('secret.txt', SECRET);
  const child = spawn(process.execPath, [PROGRAM, 'webhook', 'listen', '--secret-file', secret, '--status', '202']);
  after(() => child.kill('SIGKILL'));
  let [written, said] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (written += chunk));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk));
  const address = await waitFor('address of the program', () => /http:\S+/.exec(said)?.[0]);
  const { headers, body } = await delivery();
  const post = async (content: Uint8Array | string) =>
    fetch(address, { method: 'POST', headers, body: typeof content === 'string' ? content : new Uint8Array(content) });
  assert.equal((await post(body)).status, 202);
  assert.equal((await post(body)).status, 202);
  assert.equal((await post(`${body} `)).status, 202);
  const challenge = { event_type: 'webhook.endpoint.verification', data: { challenge: 'a-challenge-of-the-service' } };
  assert.deepEqual(await (await post(JSON.stringify(challenge))).json(), { challenge: 'a-challenge-of-the-service' });
  assert.equal((await fetch(address)).status, 405);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  const lines = written.trimEnd().split('\n');
  assert.match(lines[0] ?? '', / impact\.transaction\.confirmed {2}sequence 1 {2}evt_\S+ .* valid$/);
  assert.match(lines[1] ?? '', / repeated {2}valid$/);
  assert.match(lines[2] ?? '', / signature differs$/);
  assert.match(said, /GET was answered 405/);
});

describe('the command', () => {
  test('says its version and its commands', async () => {
    assert.equal((await run('--version')).stdout.trim(), manifest.version);
    for (const words of [['--help'], [], ['rehearse', '--help'], ['webhook', '--help']])
      assert.match((await run(...words)).stdout, /^Usage: partner-impact-sdk /);
  });

  test('into a closed pipe: no trace, and the exit code of a program that SIGPIPE ended, unless it found something wrong', async () => {
    for (const words of [['--help'], ['rehearse', '--help'], ['--version']])
      assert.deepEqual(await runUnread(...words), { code: 141, stderr: '' }, words.join(' '));
    const wrong = await runUnread('rehears');
    assert.equal(wrong.code, 2);
    assert.doesNotMatch(wrong.stderr, /\n {4}at /);
  });

  for (const [status, code] of [
    [401, 2],
    [403, 2],
    [408, 1],
    [429, 1],
    [503, 1],
  ] as const)
    test(`exit code ${code} after the status ${status}: ${code === 2 ? 'the address or the key is wrong' : 'the same may succeed later'}`, async () => {
      // Longer than the command waits for its first answer.
      const headers = { 'Content-Type': 'application/json', 'Retry-After': '3600' };
      const error = { code: 'of_the_service', message: 'no', retryable: code === 1 };
      const server = createServer((_request, response) => {
        response.writeHead(status, headers).end(JSON.stringify({ error }));
      }).listen(0, '127.0.0.1');
      after(() => server.close());
      await once(server, 'listening');
      const env = { BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, API_KEY: 'pi_sandbox_test' };
      const ended = await runWith(env, ['rehearse', '--url', 'http://127.0.0.1:9/']);
      assert.deepEqual([ended.code, ended.stdout], [code, '']);
      assert.match(ended.stderr, new RegExp(`^Answered ${status}, of_the_service: no$`, 'm'));
    });

  test('a page of a proxy is told as what it is, and not as a service that does not answer', async () => {
    const server = createServer((_request, response) => void response.end('<html>')).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const env = { BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, API_KEY: 'pi_sandbox_test' };
    const { code, stderr } = await runWith(env, ['rehearse', '--url', 'http://127.0.0.1:9/']);
    assert.equal(code, 1);
    assert.match(stderr, / answers otherwise than the service does\. HTTP 200 with a body that is not JSON/);
  });

  test('exit code 2, and a sentence without a trace, for what is wrong in its words', async () => {
    for (const words of [
      ['rehears'],
      ['webhook'],
      ['webhook', 'verify'],
      ['webhook', 'listen', '--port', 'x'],
      ['rehearse', '--uri'],
    ]) {
      const { code, stdout, stderr } = await run(...words);
      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.doesNotMatch(stderr, /\n {4}at /);
    }
  });
});
