/** The verifiers of docs/samples, which docs/webhooks.md shows word for word, are run as they stand. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { explainSignature } from '../../src/webhooks/receiver/explain-signature.ts';
import { newSecret } from '../../src/webhooks/security/signature.ts';
import { ENVELOPE_MEMBERS } from '../support/published.ts';
import { needsLanguage, readSample, SAMPLES } from '../support/sample.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'partner-impact-webhooks-page-'));
after(() => rmSync(folder, { recursive: true }));

/** The known answer of decisions, section 7. */
const SECRET = 'whsec_test_0123456789abcdef0123456789abcdef';
const TIMESTAMP = '1767225600';
const SIGNATURE = 'v1=1290dcf3afe218c7abb47ae5789c9c68eeac43c44bbe1eb37518df7806a1f1c8';
const BODY = Buffer.from(
  '{"event_id":"evt_01JTEST0000000000000000001","event_type":"impact.transaction.confirmed","points":9223372036854775807,"name":"شجرة"}',
);

interface Case {
  readonly title: string;
  readonly isValid: boolean;
  readonly secret: string;
  /** Names in lower case, as Node has them. */
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly nowSeconds: number;
}

function newCase(title: string, isValid: boolean, change: Partial<Case> = {}): Case {
  const headers = { 'x-service-timestamp': TIMESTAMP, 'x-service-signature': SIGNATURE };
  return { title, isValid, secret: SECRET, headers, body: BODY, nowSeconds: Number(TIMESTAMP), ...change };
}

function withHeaders(change: Record<string, string>): Pick<Case, 'headers'> {
  return { headers: { 'x-service-timestamp': TIMESTAMP, 'x-service-signature': SIGNATURE, ...change } };
}

/** A right signature over a wrong timestamp: what is refused is the timestamp. */
function signedAt(timestamp: string): Pick<Case, 'headers'> {
  const hex = createHmac('sha256', SECRET).update(`${timestamp}.`).update(BODY).digest('hex');
  return withHeaders({ 'x-service-timestamp': timestamp, 'x-service-signature': `v1=${hex}` });
}

function seconds(offset: number): Pick<Case, 'nowSeconds'> {
  return { nowSeconds: Number(TIMESTAMP) + offset };
}

const tampered = Buffer.from(BODY.toString().replace('9223372036854775807', '9223372036854775806'));
const other = `v1=${'0'.repeat(64)}`;
const cases: Case[] = [
  newCase('the known answer', true),
  newCase('five minutes later', true, seconds(300)),
  newCase('five minutes before', true, seconds(-300)),
  newCase('later than five minutes', false, seconds(301)),
  newCase('more than five minutes before', false, seconds(-301)),
  newCase('a tampered body', false, { body: tampered }),
  newCase('a body with a line end more', false, { body: Buffer.concat([BODY, Buffer.from('\n')]) }),
  newCase('a body that was parsed and written again', false, { body: Buffer.from(JSON.stringify(JSON.parse(BODY.toString()))) }),
  newCase('no body', false, { body: Buffer.alloc(0) }),
  newCase('another secret', false, { secret: newSecret() }),
  newCase('the secret without whsec_', false, { secret: SECRET.slice('whsec_'.length) }),
  newCase('another timestamp', false, withHeaders({ 'x-service-timestamp': '1767225601' })),
  newCase(
    'the next secret of a rotation',
    true,
    withHeaders({ 'x-service-signature': other, 'x-service-signature-next': SIGNATURE }),
  ),
  newCase('two signatures of others', false, withHeaders({ 'x-service-signature': other, 'x-service-signature-next': other })),
  newCase('no headers', false, { headers: {} }),
  newCase('no signature', false, { headers: { 'x-service-timestamp': TIMESTAMP } }),
  newCase('no timestamp', false, { headers: { 'x-service-signature': SIGNATURE } }),
  newCase('a signature without v1=', false, withHeaders({ 'x-service-signature': SIGNATURE.slice(3) })),
  newCase('a signature in capitals', false, withHeaders({ 'x-service-signature': SIGNATURE.toUpperCase() })),
  newCase('a signature that is cut', false, withHeaders({ 'x-service-signature': SIGNATURE.slice(0, -1) })),
  newCase('a signature of other letters', false, withHeaders({ 'x-service-signature': 'é'.repeat(67) })),
  ...['', '+1767225600', ' 1767225600', '1767225600.0', '1_767_225_600', '١٧٦٧٢٢٥٦٠٠', '1e9', '9'.repeat(5_000)].map(
    (timestamp) => newCase(`the timestamp "${timestamp.slice(0, 20)}"`, false, signedAt(timestamp)),
  ),
];

/** The block of code in this language that holds the word. */
function findBlock(language: string, word: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(
    ([, name, code = '']) => name === language && code.includes(word),
  );
  assert.equal(blocks.length, 1, `${language} blocks with ${word}`);
  return blocks[0]?.[2] ?? '';
}

test('every case is what the service itself says', () => {
  for (const { title, isValid, ...delivery } of cases)
    assert.equal(explainSignature(delivery).status === 'valid', isValid, title);
});

describe('TypeScript', async () => {
  const { isFromService } = await import(join(SAMPLES, 'verify.ts'));
  for (const { title, isValid, secret, headers, body, nowSeconds } of cases)
    test(title, () => assert.equal(isFromService(secret, headers, body, nowSeconds * 1000 + 999), isValid));

  test('without a time of its own it takes the clock', () => {
    assert.equal(isFromService(SECRET, withHeaders({}).headers, BODY), false);
    assert.equal(isFromService(SECRET, signedAt(String(Math.floor(Date.now() / 1000))).headers, BODY), true);
  });
});

/** Reads the cases as JSON and writes what the page's function says to each. */
const RUN_CASES = `
import base64, json, sys
from email.message import Message
answers = []
for case in json.load(sys.stdin):
    headers = Message()
    for name, value in case["headers"].items():
        headers[name] = value
    answers.append(is_from_service(case["secret"], headers, base64.b64decode(case["body"]), case["now"]))
json.dump(answers, sys.stdout)
`;

function askPython(asked: readonly { secret: string; headers: object; body: Buffer; nowSeconds: number | null }[]): unknown {
  const input = asked.map(({ secret, headers, body, nowSeconds }) => ({
    secret,
    headers,
    body: body.toString('base64'),
    now: nowSeconds,
  }));
  const path = join(folder, 'verify.py');
  writeFileSync(path, readSample('verify.py') + RUN_CASES);
  const { stdout, stderr, status } = spawnSync('python3', [path], { input: JSON.stringify(input), encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

describe('Python', needsLanguage('py'), () => {
  test('every case, the tampered body among them', () => {
    const answers = askPython(cases) as boolean[];
    assert.deepEqual(
      cases.map(({ title }, index) => [title, answers[index]]),
      cases.map(({ title, isValid }) => [title, isValid]),
    );
  });

  test('without a time of its own it takes the clock', () => {
    const now = signedAt(String(Math.floor(Date.now() / 1000)));
    assert.deepEqual(
      askPython([
        { secret: SECRET, ...withHeaders({}), body: BODY, nowSeconds: null },
        { secret: SECRET, ...now, body: BODY, nowSeconds: null },
      ]),
      [false, true],
    );
  });
});

test('the known answer stands on the page', () => {
  for (const text of [SECRET, TIMESTAMP, SIGNATURE, BODY.toString(), `${BODY.length} bytes`])
    assert.ok(page.includes(text), text);
});

test('the envelope of the page has the members of decisions, section 7', () => {
  const envelope = JSON.parse(findBlock('json', '"sequence"'));
  assert.deepEqual(Object.keys(envelope), ENVELOPE_MEMBERS);
});

test('the SQL of the page keeps the latest state of each contribution, whichever event comes first', () => {
  const [, block = ''] = /```sql\n(create table contribution_copy .*?)```/s.exec(page) ?? [];
  const [create = '', keep = ''] = block.split('\n\n');
  const database = new DatabaseSync(':memory:');
  database.exec(create);
  for (const [id, status, sequence] of [
    ['txn_1', 'failed', 7],
    ['txn_1', 'confirmed', 5],
    ['txn_2', 'confirmed', 6],
  ] as const)
    database.prepare(keep).run({ $1: id, $2: status, $3: sequence });
  const rows = database.prepare('select transaction_id, status from contribution_copy order by 1').all();
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['txn_1', 'failed'],
      ['txn_2', 'confirmed'],
    ],
  );
});
