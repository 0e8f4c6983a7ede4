/** `partner-impact webhook`: what a receiver's developer sees, and what a program reads. */
import assert from 'node:assert/strict';
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newSecret, signAttempt } from '../../src/webhooks/security/signature.ts';
import { HANG_LIMIT } from '../support/assertions/hang-limit.ts';
import { commandLine } from '../support/command-line.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Every write fails with ENOSPC. */
const FULL = '/dev/full';
/** Decisions, section 7: the known answer. */
const SECRET = 'whsec_test_0123456789abcdef0123456789abcdef';
const SENT_AT_SECONDS = 1_767_225_600;
const SIGNATURE = 'v1=1290dcf3afe218c7abb47ae5789c9c68eeac43c44bbe1eb37518df7806a1f1c8';
const BODY =
  '{"event_id":"evt_01JTEST0000000000000000001","event_type":"impact.transaction.confirmed","points":9223372036854775807,"name":"شجرة"}';

const folder = mkdtempSync(join(tmpdir(), 'partner-impact-webhook-'));
const running: ChildProcess[] = [];
after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

let files = 0;
function newFile(content: string): string {
  const path = join(folder, String(files++));
  writeFileSync(path, content);
  return path;
}

const environment = { ...process.env, WEBHOOK_SECRET: '' };
const program = commandLine({ WEBHOOK_SECRET: '' });

const HEADERS = `X-Service-Timestamp: ${SENT_AT_SECONDS}\nX-Service-Signature: ${SIGNATURE}\n`;

interface Kept {
  readonly secret?: string;
  readonly headers?: string;
  readonly body?: string;
  readonly nowSeconds?: number;
}

function verify({ secret = SECRET, headers = HEADERS, body = BODY, nowSeconds = SENT_AT_SECONDS }: Kept, ...more: string[]) {
  const inputs = ['--secret-file', newFile(`${secret}\n`), '--headers', newFile(headers), '--body', newFile(body)];
  return program.run(['webhook', 'verify', ...inputs, '--now', String(nowSeconds), ...more]);
}

describe('webhook verify', () => {
  test('decisions, section 7: the known answer is valid', async () => {
    const { code, stdout, stderr } = await verify({ nowSeconds: SENT_AT_SECONDS + 4 });
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, 'The signature is valid: X-Service-Signature, made 4 s ago.\n');
  });

  test('for programs: one JSON object', async () => {
    const headers = JSON.stringify({ 'x-service-timestamp': String(SENT_AT_SECONDS), 'x-service-signature': SIGNATURE });
    const { code, stdout } = await verify({ headers }, '--json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { status: 'valid', header: 'X-Service-Signature', age_seconds: 0 });
  });

  test('1: what differs is said, and the secret is not', async () => {
    const cases: [kept: Kept, words: RegExp][] = [
      [{ body: `${BODY}\n` }, /without the line end/],
      [{ body: JSON.stringify(JSON.parse(BODY)) }, /No usual mistake/],
      [{ secret: newSecret() }, /No usual mistake/],
      [{ secret: SECRET.slice('whsec_'.length) }, /begins with whsec_/],
      [{ nowSeconds: SENT_AT_SECONDS - 301 }, /made 301 s in the future/],
      [{ headers: 'HTTP/1.1 200 OK\n' }, /X-Service-Timestamp is missing/],
      [{ headers: HEADERS.replace(SIGNATURE, SECRET) }, /and is whsec_…\./],
    ];
    for (const [kept, words] of cases) {
      const { code, stdout, stderr } = await verify(kept);
      assert.deepEqual([code, stderr], [1, '']);
      assert.match(stdout, words);
      assert.ok(!stdout.includes(kept.secret ?? SECRET), 'the secret');
    }
    const forPrograms = await verify({ headers: HEADERS.replace(SIGNATURE, SECRET) }, '--json');
    assert.equal(forPrograms.code, 1);
    assert.deepEqual(JSON.parse(forPrograms.stdout), { status: 'signature_ill_formed', signature: 'whsec_…' });
  });

  test('2: an input that cannot be read, in one sentence on standard error', async () => {
    const sound = { secret: newFile(SECRET), headers: newFile(HEADERS), body: newFile(BODY) };
    const files = (change: Partial<typeof sound>) => {
      const { secret, headers, body } = { ...sound, ...change };
      return ['--secret-file', secret, '--headers', headers, '--body', body];
    };
    const none = join(folder, 'none');
    const cases: [args: string[], sentence: RegExp][] = [
      [files({ headers: none }), /none cannot be read \(ENOENT\)/],
      [files({ body: folder }), /cannot be read \(EISDIR\)/],
      [files({ secret: newFile(`${SECRET}\n${SECRET}\n`) }), /must hold one secret/],
      [files({ headers: newFile(`{"event_id":"evt_1","data":${BODY}}`) }), /does not hold headers: the member "data" must be/],
      [files({ headers: newFile(SECRET) }), /does not hold headers: line 1/],
      [[...files({}), '--now', '2026-01-01'], /whole seconds since 1970/],
      [files({}).slice(2), /--secret-file/],
    ];
    for (const [args, sentence] of cases) {
      const { code, stdout, stderr } = await program.run(['webhook', 'verify', ...args]);
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, sentence);
      assert.ok(!stderr.includes(SECRET), 'the secret');
      assert.doesNotMatch(stderr, /\n\s+at /, 'a stack trace');
    }
  });
});

interface Listening {
  readonly child: ChildProcess;
  readonly url: string;
  /** Lines on standard output. */
  readonly lines: AsyncIterator<string>;
  /** Lines on standard error, after the first. */
  readonly notices: AsyncIterator<string>;
}

async function listen(args: string[], env: Record<string, string> = {}, output: number | 'pipe' = 'pipe'): Promise<Listening> {
  const stdio: StdioOptions = ['ignore', output, 'pipe'];
  const child = spawn(process.execPath, [MAIN, 'webhook', 'listen', ...args], { env: { ...environment, ...env }, stdio });
  assert.ok(child.stderr);
  running.push(child);
  const lines = createInterface(child.stdout ?? Readable.from([]))[Symbol.asyncIterator]();
  const notices = createInterface(child.stderr)[Symbol.asyncIterator]();
  const notice = await nextOf(notices);
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(notice)?.[0];
  assert.ok(url, notice);
  return { child, url, lines, notices };
}

async function nextOf(lines: AsyncIterator<string>): Promise<string> {
  return String((await lines.next()).value);
}

async function stop({ child }: Listening, signal: 'SIGINT' | 'SIGTERM'): Promise<number | null> {
  child.kill(signal);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

function send(url: string, secret: string, body = BODY): Promise<Response> {
  const headers = signAttempt(
    { current: secret },
    {
      eventId: 'evt_01JTEST0000000000000000001',
      eventType: 'impact.transaction.confirmed',
      deliveryId: 'dlv_1',
      attemptNumber: 2,
      correlationId: 'cor_00000001',
      sentAtSeconds: Math.floor(Date.now() / 1000),
      body: Buffer.from(body),
    },
  );
  return fetch(url, { method: 'POST', headers, body });
}

describe('webhook listen', () => {
  test('for people: a line for each event, and the cause when it does not verify', async () => {
    const secret = newSecret();
    const listening = await listen(['--secret-file', newFile(`${secret}\r\n`), '--status', '503']);
    assert.equal((await send(listening.url, secret)).status, 503);
    assert.match(
      await nextOf(listening.lines),
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}impact\.transaction\.confirmed {2}sequence - {2}evt_01JTEST0000000000000000001 {2}attempt 2 {2}valid$/,
    );
    await send(listening.url, newSecret());
    assert.match(await nextOf(listening.lines), /attempt 2 {2}repeated {2}signature differs$/);
    assert.match(await nextOf(listening.lines), /^ {4}The signature is v1=[0-9a-f]{64}, expected is v1=/);
    assert.equal(await stop(listening, 'SIGINT'), 0);
  });

  test('for programs: one JSON object a line, the body as text with all its digits', async () => {
    const secret = newSecret();
    const listening = await listen(['--json'], { WEBHOOK_SECRET: secret });
    assert.equal((await send(listening.url, secret)).status, 200);
    const { received_at, verdict, repeated, headers, body, ...others } = JSON.parse(await nextOf(listening.lines));
    assert.ok(Math.abs(Date.now() - Date.parse(received_at)) < 60_000);
    assert.deepEqual([verdict.status, verdict.header, repeated], ['valid', 'X-Service-Signature', false]);
    assert.match(headers['x-service-signature'], /^v1=/);
    assert.equal(headers['webhook-id'], 'evt_01JTEST0000000000000000001');
    assert.deepEqual([headers['host'], others], [undefined, {}]);
    assert.equal(body, BODY);
    assert.equal(await stop(listening, 'SIGTERM'), 0);
  });

  test('on a port that is taken it says which other one to take', async () => {
    const { port } = new URL((await listen([])).url);
    const refused = await program.runApart(['webhook', 'listen', '--port', port]);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      new RegExp(
        `^The port ${port} is in use by another program, or by a service that is about to end\\. .* --port ${Number(port) + 10}$`,
        'm',
      ),
    );
  });

  test('without a secret it says that signatures are not checked', async () => {
    const listening = await listen([]);
    assert.match(
      await nextOf(listening.notices),
      /not verified without a secret: --secret-file FILE, or the variable WEBHOOK_SECRET/,
    );
    await send(listening.url, SECRET);
    assert.match(await nextOf(listening.lines), / {2}not checked$/);
    assert.equal(await stop(listening, 'SIGTERM'), 0);
  });

  test('no stranger writes to the terminal', async () => {
    const listening = await listen(['--secret', SECRET]);
    await fetch(listening.url, { method: 'POST', body: '{"event_id":"\\u001b[2J","event_type":"\\u202e\\n"}' });
    assert.match(
      await nextOf(listening.lines),
      / {2}"\\u202e\\n" {2}sequence - {2}"\\u001b\[2J" {2}attempt - {2}timestamp missing$/,
    );
  });

  test('it ends when nobody reads its lines any more', async () => {
    const listening = await listen([]);
    listening.child.stdout?.destroy();
    const exit = once(listening.child, 'exit');
    await send(listening.url, SECRET);
    assert.deepEqual((await exit)[0], 141);
  });

  test('it ends when its lines cannot be written, as to a full disk, and answers no event that nobody sees', {
    skip: existsSync(FULL) ? false : `there is no ${FULL} here`,
    ...HANG_LIMIT,
  }, async () => {
    for (const words of [[], ['--json']]) {
      await using full = await open(FULL, 'w');
      const { child, url } = await listen([...words, '--secret', SECRET], {}, full.fd);
      const ended = once(child, 'exit');
      // The end may come before the answer.
      await send(url, SECRET).catch(() => {});
      assert.deepEqual(await ended, [1, null]);
    }
  });

  test('2: options that cannot be used, in one sentence', async () => {
    const cases: [args: string[], sentence: RegExp][] = [
      [['--port', '70000'], /must be a port/],
      [['--status', '100'], /HTTP status, 200 to 599/],
      [['--secret', SECRET, '--secret-file', newFile(SECRET)], /cannot be used with/],
      [['--secret-file', join(folder, 'none')], /cannot be read \(ENOENT\)/],
      [['--secret', ''], /--secret must hold one secret/],
    ];
    for (const [args, sentence] of cases) {
      const { code, stdout, stderr } = await program.runApart(['webhook', 'listen', ...args]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, sentence);
      assert.ok(!stderr.includes(SECRET), 'the secret');
    }
  });
});
