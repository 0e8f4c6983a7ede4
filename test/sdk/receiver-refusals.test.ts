/** The receiver of the SDK: what it refuses, and how it says so. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { ConfigurationError, MemoryInbox, PartnerImpact, stringifyExactJson } from '../../sdk/src/index.ts';
import { confirmedEvent, failedEvent } from '../../sdk/src/testing.ts';
import {
  changed,
  feedOf,
  NEXT_SECRET,
  NOW_SECONDS,
  newReceiver,
  ownOnly,
  SECRET,
  send,
  signed,
  standardOnly,
} from '../support/sdk/receiver.ts';

describe('refuses', () => {
  const event = confirmedEvent(1n);
  const text = stringifyExactJson(event);
  const hex = (secret: string, timestamp = NOW_SECONDS, body = text) =>
    createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  type Bad = [title: string, status: number, make: () => Request | Promise<Request>];
  const withHeaders = (headers: Record<string, string | null>) => () => changed(signed(event), { headers });
  const withOwn = (signature: string | null, headers: Record<string, string | null> = {}) =>
    withHeaders({ ...ownOnly, 'X-Service-Signature': signature, ...headers });
  const withStandard = (signature: string, headers: Record<string, string | null> = {}) =>
    withHeaders({ ...standardOnly, 'webhook-signature': signature, ...headers });
  const withBody = (body: string | Uint8Array) => () => changed(signed(event), { body });
  const withSigned = (body: string) => () => signed(body);
  const envelope = (change: object) => withSigned(stringifyExactJson({ ...event, ...change }));
  const at = (timestamp: number) => () => signed(event, { timestamp });

  const corpus: Bad[] = [
    ['no signature', 401, withHeaders({ ...ownOnly, 'X-Service-Signature': null })],
    ['no timestamp', 401, withHeaders({ 'X-Service-Timestamp': null })],
    ['no timestamp of Standard Webhooks', 401, withHeaders({ 'webhook-timestamp': null })],
    ['no id of Standard Webhooks', 401, withHeaders({ 'webhook-id': null })],
    ['an empty signature', 401, withOwn('')],
    ['v1= alone', 401, withOwn('v1=')],
    ['the bare hexadecimal', 401, withOwn(hex(SECRET))],
    ['v0', 401, withOwn(`v0=${hex(SECRET)}`)],
    ['v2', 401, withOwn(`v2=${hex(SECRET)}`)],
    ['upper case', 401, withOwn(`v1=${hex(SECRET).toUpperCase()}`)],
    ['a digit less', 401, withOwn(`v1=${hex(SECRET).slice(1)}`)],
    ['a digit more', 401, withOwn(`v1=${hex(SECRET)}0`)],
    ['another last digit', 401, withOwn(`v1=${hex(SECRET).replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`)],
    ['two signatures in one header', 401, withOwn(`v1=${hex(SECRET)}, v1=${hex(SECRET)}`)],
    ['two signatures beside a space', 401, withOwn(`v1=${hex(SECRET)} v1=${hex(SECRET)}`)],
    ['zeros', 401, withOwn(`v1=${'0'.repeat(64)}`)],
    ['base64 in place of hexadecimal', 401, withOwn(`v1=${Buffer.from(hex(SECRET), 'hex').toString('base64')}`)],
    ['the secret without whsec_', 401, withOwn(`v1=${hex(SECRET.slice(6))}`)],
    [
      'the decoded secret',
      401,
      withOwn(
        `v1=${createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64'))
          .update(`${NOW_SECONDS}.${text}`)
          .digest('hex')}`,
      ),
    ],
    ['the secret with a line end', 401, withOwn(`v1=${hex(`${SECRET}\n`)}`)],
    ['an empty secret', 401, withOwn(`v1=${createHmac('sha256', '').update(`${NOW_SECONDS}.${text}`).digest('hex')}`)],
    ['another secret', 401, () => signed(event, { secret: NEXT_SECRET })],
    ['the body without the timestamp', 401, withOwn(`v1=${createHmac('sha256', SECRET).update(text).digest('hex')}`)],
    [
      'the timestamp without a full stop',
      401,
      withOwn(`v1=${createHmac('sha256', SECRET).update(`${NOW_SECONDS}${text}`).digest('hex')}`),
    ],
    ['SHA-1', 401, withOwn(`v1=${createHmac('sha1', SECRET).update(`${NOW_SECONDS}.${text}`).digest('hex')}`)],
    ['SHA-512', 401, withOwn(`v1=${createHmac('sha512', SECRET).update(`${NOW_SECONDS}.${text}`).digest('hex')}`)],
    [
      'a wrong signature and the right one of nobody next',
      401,
      withOwn(`v1=${'0'.repeat(64)}`, { 'X-Service-Signature-Next': `v1=${hex(NEXT_SECRET)}` }),
    ],
    [
      'a right own signature and a wrong one of Standard Webhooks',
      401,
      withHeaders({ 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` }),
    ],
    [
      'a wrong own signature and a right one of Standard Webhooks',
      401,
      withHeaders({ 'X-Service-Signature': `v1=${'0'.repeat(64)}` }),
    ],
    ['an asymmetric signature of Standard Webhooks', 401, withStandard('v1a,AAAA')],
    ['an empty signature of Standard Webhooks', 401, withStandard('')],
    [
      'the key of Standard Webhooks not decoded',
      401,
      withStandard(`v1,${createHmac('sha256', SECRET).update(`x.${NOW_SECONDS}.${text}`).digest('base64')}`),
    ],
    ['another id', 401, withHeaders({ ...standardOnly, 'webhook-id': 'evt_another_event' })],
    ['another id beside a right own signature', 401, withHeaders({ 'webhook-id': 'evt_another_event' })],
    ['a timestamp 301 seconds old', 401, at(NOW_SECONDS - 301)],
    ['a timestamp 301 seconds ahead', 401, at(NOW_SECONDS + 301)],
    ['a timestamp of yesterday', 401, at(NOW_SECONDS - 86_400)],
    ['a timestamp in milliseconds', 401, at(NOW_SECONDS * 1000)],
    ['a timestamp of zero', 401, at(0)],
    ['another timestamp than the signed one', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': String(NOW_SECONDS + 1) })],
    ['a timestamp with a sign', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': `+${NOW_SECONDS}` })],
    ['a timestamp with a fraction', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': `${NOW_SECONDS}.0` })],
    ['a timestamp with an exponent', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': '1.8e9' })],
    ['a hexadecimal timestamp', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': `0x${NOW_SECONDS.toString(16)}` })],
    [
      'a timestamp as a date',
      401,
      withHeaders({ ...ownOnly, 'X-Service-Timestamp': new Date(NOW_SECONDS * 1000).toISOString() }),
    ],
    ['a timestamp of 400 digits', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': '9'.repeat(400) })],
    ['two timestamps', 401, withHeaders({ ...ownOnly, 'X-Service-Timestamp': `${NOW_SECONDS}, ${NOW_SECONDS}` })],
    ['a body with one changed byte', 401, withBody(text.replace('250', '251'))],
    ['a body that was parsed and written again', 401, withBody(JSON.stringify(JSON.parse(text), undefined, 1))],
    ['a body with a line end', 401, withBody(`${text}\n`)],
    ['a body with a byte order mark', 401, withBody(`\uFEFF${text}`)],
    ['no body', 401, withBody('')],
    ['half a body', 401, withBody(text.slice(0, text.length / 2))],
    [
      'a challenge with more than a challenge',
      401,
      () =>
        signed(
          { event_type: 'webhook.endpoint.verification', data: { challenge: '<script>alert(1)</script>' } },
          { secret: NEXT_SECRET },
        ),
    ],
    ['GET', 405, () => changed(signed(event), { method: 'GET' })],
    ['PUT', 405, () => changed(signed(event), { method: 'PUT' })],
    ['text/plain', 415, withHeaders({ 'Content-Type': 'text/plain' })],
    ['a form', 415, withHeaders({ 'Content-Type': 'application/x-www-form-urlencoded' })],
    ['no media type', 415, withHeaders({ 'Content-Type': null })],
    ['application/jsonp', 415, withHeaders({ 'Content-Type': 'application/jsonp' })],
    ['a body of more than a megabyte', 413, () => signed(`"${'x'.repeat(1024 * 1024)}"`)],
    ['a length of more than a megabyte', 413, withHeaders({ 'Content-Length': '1048577' })],
    ['signed: no JSON', 400, withSigned('{')],
    ['signed: an array', 400, withSigned('[]')],
    ['signed: null', 400, withSigned('null')],
    ['signed: an event id twice', 400, withSigned(text.replace('{', '{"event_id":"evt_12345678",'))],
    ['signed: no event id', 400, envelope({ event_id: undefined })],
    ['signed: an event id in Arabic', 400, () => changed(signed({ ...event, event_id: 'حدث-12345678' }), { headers: ownOnly })],
    ['signed: no type', 400, envelope({ event_type: undefined })],
    ['signed: another version', 400, envelope({ api_version: 'v2' })],
    ['signed: a sequence of zero', 400, envelope({ sequence: 0n })],
    ['signed: a sequence with a fraction', 400, withSigned(text.replace('"sequence":1', '"sequence":1.5'))],
    ['signed: a sequence as text', 400, envelope({ sequence: '1' })],
    ['signed: no sequence', 400, envelope({ sequence: undefined })],
    ['signed: data that is no object', 400, envelope({ data: [] })],
    ['signed: an environment that nobody knows', 400, envelope({ environment: 'staging' })],
    ['signed: the other environment', 400, envelope({ environment: 'production' })],
  ];

  test(`a corpus of ${corpus.length}: 60 at least`, () => assert.ok(corpus.length >= 60));

  for (const [title, status, make] of corpus)
    test(`${status}: ${title}`, async () => {
      const inbox = new MemoryInbox();
      const { receiver, handled } = newReceiver({ inbox, feed: [] });
      const [actual, body] = await send(receiver, await make());
      assert.equal(actual, status, JSON.stringify(body));
      assert.deepEqual([handled, await inbox.handleNext(() => {})], [[], 'empty']);
      assert.equal(JSON.stringify(body).includes('script'), false);
    });

  test('bytes that are no UTF-8, although they are signed', async () => {
    const { receiver } = newReceiver();
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const signature = createHmac('sha256', SECRET).update(`${NOW_SECONDS}.`).update(body).digest('hex');
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Timestamp': String(NOW_SECONDS),
      'X-Service-Signature': `v1=${signature}`,
    };
    assert.equal((await send(receiver, new Request('http://localhost/', { method: 'POST', headers, body })))[0], 400);
  });

  test('what is not signed with the secret is told of, with its reason', async () => {
    const { receiver, refused } = newReceiver();
    await send(receiver, signed(confirmedEvent(1n), { secret: `${SECRET.slice(0, -5)}AAAA=` }));
    const [{ problem, webhookId }] = refused as [{ problem: string; webhookId: string }];
    assert.equal(problem, 'wrong_signature');
    assert.match(webhookId, /^evt_/);
  });

  test('what cannot be a secret, when the receiver is made', () => {
    for (const secrets of [
      null as unknown as string,
      5 as unknown as string,
      '',
      [],
      'secret',
      SECRET.slice(6),
      `${SECRET}\n`,
      `${SECRET}${SECRET}`,
      [SECRET, ''],
    ])
      assert.throws(() => newReceiver({ secrets }), ConfigurationError);
  });

  test('a handler of a type that there is not, when the receiver is made', () => {
    const { events } = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test' });
    const handlers = { 'impact.transaction.failed': () => {} } as object;
    assert.throws(
      () => events.receiver(SECRET, new MemoryInbox(), handlers),
      (error) => error instanceof ConfigurationError && /impact\.transaction\.adjusted/.test(error.message),
    );
  });

  for (const [title, data] of [
    ['authorises nothing', { point_restoration_authorized: false }],
    ['has no word about it', { point_restoration_authorized: undefined }],
    [
      'is of a contribution that is not failed',
      { contribution: { transaction_id: 'txn_12345678', points: 1n, status: 'confirmed' } },
    ],
  ] as const)
    test(`a permit from an event that ${title}: it is not handled, and an error is told`, async () => {
      const event = failedEvent(1n) as { data: object };
      const { receiver, permits, handled, errors } = newReceiver();
      await send(receiver, signed({ ...event, data: { ...event.data, ...data } }));
      assert.deepEqual([permits, handled, errors.length], [[], [], 1]);
    });
});

test('without onRefused the first request of each problem is a warning of the process, and without the secret', async () => {
  const warnings: string[] = [];
  const collect = ({ message }: Error) => void (message.startsWith('A webhook was refused') && warnings.push(message));
  process.on('warning', collect);
  after(() => process.off('warning', collect));
  const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test', fetch: feedOf(() => []) });
  const receiver = impact.events.receiver(SECRET, new MemoryInbox(), {}, { clock: () => NOW_SECONDS * 1000 });
  const foreign = () => signed(confirmedEvent(1n), { secret: NEXT_SECRET });
  const old = () => signed(confirmedEvent(1n), { timestamp: NOW_SECONDS - 301 });
  for (const request of [foreign(), foreign(), old(), foreign(), old()]) assert.equal((await receiver(request)).status, 401);
  // A warning is emitted after the work of this turn.
  await new Promise((resolve) => setImmediate(resolve));
  const [wrong = '', late = '', ...others] = warnings;
  assert.deepEqual(others, []);
  assert.match(wrong, /\(wrong_signature\)\. .*whole secret/);
  assert.match(late, /\(old_timestamp\)\. .*more than 5 minutes ago: check the clock/);
  for (const message of warnings) assert.ok(!message.includes(SECRET.slice(6)), message);
});

for (const [title, fail] of [
  ['throws', () => thrown()],
  ['rejects', async () => thrown()],
] as const)
  test(`an onRefused or onUnsequenced that ${title} is a warning: it ends nothing, and the answer stays what it is`, async () => {
    const warnings: string[] = [];
    const collect = ({ message }: Error) => void (message === 'the hook is wrong' && warnings.push(message));
    process.on('warning', collect);
    after(() => process.off('warning', collect));
    const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test', fetch: feedOf(() => []) });
    const options = { clock: () => NOW_SECONDS * 1000, onRefused: fail, onUnsequenced: fail };
    const receiver = impact.events.receiver(SECRET, new MemoryInbox(), {}, options);
    const unsigned = await changed(signed(confirmedEvent(1n)), { headers: { ...ownOnly, ...standardOnly } });
    assert.deepEqual(await send(receiver, unsigned), [401, { problem: 'no_signature' }]);
    const endpointTest = confirmedEvent(1n, { sequence: null, event_type: 'webhook.endpoint.test', data: {} });
    assert.deepEqual(await send(receiver, signed(endpointTest)), [200, { received: true }]);
    // A warning is emitted after the work of this turn.
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(warnings, ['the hook is wrong', 'the hook is wrong']);
  });

test('the functions of an object of options are called on it, so that they may use its other members', async () => {
  class Options {
    readonly nowMs = NOW_SECONDS * 1000;
    readonly told: string[] = [];
    clock() {
      return this.nowMs;
    }
    onRefused({ problem }: { readonly problem: string }) {
      this.told.push(problem);
    }
    onUnsequenced({ eventType }: { readonly eventType: string }) {
      this.told.push(eventType);
    }
    onError(error: unknown) {
      this.told.push((error as Error).message);
    }
  }
  const options = new Options();
  const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test', fetch: feedOf(() => []) });
  const handlers = { 'impact.transaction.confirmed': () => Promise.reject(new Error('not now')) };
  const receiver = impact.events.receiver(SECRET, new MemoryInbox(), handlers, options);
  await send(receiver, signed(confirmedEvent(1n), { secret: NEXT_SECRET }));
  await send(receiver, signed(confirmedEvent(1n, { sequence: null, event_type: 'webhook.endpoint.test', data: {} })));
  await send(receiver, signed(confirmedEvent(1n)));
  assert.deepEqual(options.told, ['wrong_signature', 'webhook.endpoint.test', 'not now']);
});

function thrown(): never {
  throw new Error('the hook is wrong');
}
