/** The receiver of the SDK: what it refuses, what it handles, and in which order. */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import fastify from 'fastify';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import {
  ConfigurationError,
  expressHandler,
  fastifyPlugin,
  type Inbox,
  MemoryInbox,
  nodeHandler,
  PartnerImpact,
  PostgresInbox,
  type Receiver,
  RestorationPermit,
  SqliteInbox,
  stringifyExactJson,
} from '../../sdk/src/index.ts';
import { confirmedEvent, failedEvent, signedRequest } from '../../sdk/src/testing.ts';
import { testDatabase } from '../support/postgres/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const NEXT_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const NOW_SECONDS = 1_800_000_000;

/** A service that has these events in its feed and nothing else. */
function feedOf(events: () => readonly object[], calls: string[] = []): typeof fetch {
  return (async (input: string) => {
    const url = new URL(input);
    calls.push(url.pathname + url.search);
    const [after, limit] = [BigInt(url.searchParams.get('after_sequence') ?? 0), Number(url.searchParams.get('limit'))];
    const later = (events() as { sequence: bigint }[]).filter(({ sequence }) => sequence > after);
    const page = later.slice(0, limit);
    const body = {
      events: page,
      next_after_sequence: page.at(-1)?.sequence ?? after,
      has_more: later.length > limit,
      request: {},
    };
    return new Response(stringifyExactJson(body), { headers: { 'content-type': 'application/json' } });
  }) as typeof fetch;
}

interface Given {
  readonly secrets?: string | readonly string[];
  readonly feed?: readonly object[];
  readonly inbox?: Inbox<unknown>;
  readonly calls?: string[];
  readonly handle?: (sequence: bigint) => Promise<void> | void;
  readonly errors?: unknown[];
}

function newReceiver({ secrets = SECRET, feed = [], inbox = new MemoryInbox(), calls = [], handle, errors = [] }: Given = {}) {
  const impact = new PartnerImpact({
    baseUrl: 'http://127.0.0.1:9',
    apiKey: 'pi_sandbox_test',
    fetch: feedOf(() => feed, calls),
  });
  const handled: bigint[] = [];
  const permits: RestorationPermit[] = [];
  const take = async ({ sequence }: { sequence: bigint }) => {
    await handle?.(sequence);
    handled.push(sequence);
  };
  const unsequenced: string[] = [];
  const refused: object[] = [];
  const receiver = impact.events.receiver(
    secrets,
    inbox,
    {
      'impact.transaction.confirmed': take,
      'impact.transaction.adjusted': async (event) => {
        if (event.data.change === 'failed') permits.push(event.data.permit);
        await take(event);
      },
    },
    {
      clock: () => NOW_SECONDS * 1000,
      onError: (error) => errors.push(error),
      onUnsequenced: ({ eventType }) => unsequenced.push(eventType),
      onRefused: (each) => refused.push(each),
    },
  );
  return { receiver, handled, permits, unsequenced, refused, errors };
}

const signed = (event: object | string, change: Partial<Parameters<typeof signedRequest>[0]> = {}) =>
  signedRequest({ secret: SECRET, event, timestamp: NOW_SECONDS, ...change });

/** Sends the same request again with something changed. */
async function changed(
  request: Request,
  { headers = {}, body, method }: { headers?: Record<string, string | null>; body?: string | Uint8Array; method?: string },
): Promise<Request> {
  const copy = new Headers(request.headers);
  for (const [name, value] of Object.entries(headers)) value === null ? copy.delete(name) : copy.set(name, value);
  const isBodyless = method === 'GET' || method === 'HEAD';
  const content = body ?? (await request.text());
  return new Request(request.url, { method: method ?? 'POST', headers: copy, ...(!isBodyless && { body: content as string }) });
}

async function send(receiver: Receiver, request: Request): Promise<[status: number, body: Record<string, unknown>]> {
  const response = await receiver(request);
  await receiver.settled();
  return [response.status, (await response.json()) as Record<string, unknown>];
}

const ownOnly = { 'webhook-id': null, 'webhook-timestamp': null, 'webhook-signature': null };
const standardOnly = { 'X-Service-Timestamp': null, 'X-Service-Signature': null };

describe('accepts', () => {
  test('the known answer of the contract', async () => {
    const secret = 'whsec_test_0123456789abcdef0123456789abcdef';
    const body =
      '{"event_id":"evt_01JTEST0000000000000000001","event_type":"impact.transaction.confirmed","points":9223372036854775807,"name":"شجرة"}';
    const request = signedRequest({ secret, event: body, timestamp: 1_767_225_600 });
    assert.equal(
      request.headers.get('X-Service-Signature'),
      'v1=1290dcf3afe218c7abb47ae5789c9c68eeac43c44bbe1eb37518df7806a1f1c8',
    );
    const impact = new PartnerImpact({ baseUrl: 'http://127.0.0.1:9', apiKey: 'pi_sandbox_test' });
    const receiver = impact.events.receiver(secret, new MemoryInbox(), {}, { clock: () => 1_767_225_600_000 });
    // It is signed, and it has no envelope.
    assert.deepEqual(await send(receiver, request), [400, { problem: 'not_an_event' }]);
  });

  for (const [title, headers] of [
    ['both signatures', {}],
    ["the service's signature alone", ownOnly],
    ['the signature of Standard Webhooks alone', standardOnly],
  ] as const)
    test(title, async () => {
      const { receiver, handled } = newReceiver();
      assert.equal((await send(receiver, await changed(signed(confirmedEvent(1n)), { headers })))[0], 200);
      assert.deepEqual(handled, [1n]);
    });

  for (const [title, secrets, first, next] of [
    ['the old secret during a rotation', SECRET, SECRET, NEXT_SECRET],
    ['the next secret during a rotation', NEXT_SECRET, SECRET, NEXT_SECRET],
    ['both secrets, before the rotation', [SECRET, NEXT_SECRET], SECRET, undefined],
    ['both secrets, after the rotation', [SECRET, NEXT_SECRET], NEXT_SECRET, undefined],
  ] as const)
    test(title, async () => {
      const { receiver, handled } = newReceiver({ secrets });
      await send(receiver, signed(confirmedEvent(1n), { secret: first, ...(next && { nextSecret: next }) }));
      assert.deepEqual(handled, [1n]);
    });

  for (const offset of [-300, 300])
    test(`a timestamp ${offset} seconds from now`, async () => {
      const { receiver } = newReceiver();
      assert.equal((await send(receiver, signed(confirmedEvent(1n), { timestamp: NOW_SECONDS + offset })))[0], 200);
    });

  test('an unknown type, which nobody handles and which holds nothing up', async () => {
    const { receiver, handled } = newReceiver();
    assert.equal((await send(receiver, signed(confirmedEvent(1n, { event_type: 'something.new' }))))[0], 200);
    await send(receiver, signed(confirmedEvent(2n)));
    assert.deepEqual(handled, [2n]);
  });

  test('a challenge, signed by a secret that the receiver does not have yet, and nothing else of it', async () => {
    const { receiver, handled } = newReceiver();
    const challenge = randomBytes(24).toString('base64url');
    const event = confirmedEvent(1n, { sequence: null, event_type: 'webhook.endpoint.verification', data: { challenge } });
    assert.deepEqual(await send(receiver, signed(event, { secret: NEXT_SECRET })), [200, { challenge }]);
    assert.deepEqual(handled, []);
  });

  test('a test and a sample, which are told and not handled', async () => {
    const { receiver, handled, permits, unsequenced } = newReceiver();
    const sample = { ...failedEvent(1n), sequence: null } as Record<string, unknown>;
    await send(receiver, signed({ ...sample, data: { ...(sample['data'] as object), sample: true } }));
    await send(receiver, signed(confirmedEvent(1n, { sequence: null, event_type: 'webhook.endpoint.test', data: {} })));
    assert.deepEqual([handled, permits], [[], []]);
    assert.deepEqual(unsequenced, ['impact.transaction.adjusted', 'webhook.endpoint.test']);
  });

  test('signedRequest makes what the published verifier accepts', async () => {
    const request = signedRequest({ secret: SECRET, event: confirmedEvent(1n) });
    const body = await request.text();
    assert.ok(new Webhook(SECRET).verify(body, Object.fromEntries(request.headers)));
  });
});

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

const { databaseUrl } = await testDatabase();
const folder = temporaryFolder('sdk-inbox');
let count = 0;

const INBOXES: Readonly<Record<string, (startAfter?: bigint) => Promise<Inbox<unknown>>>> = {
  MemoryInbox: async (startAfter = 0n) => new MemoryInbox({ startAfter }),
  SqliteInbox: async (startAfter = 0n) => {
    const database = new DatabaseSync(join(folder, `inbox-${count++}.db`));
    after(() => database.close());
    return new SqliteInbox(database, { startAfter });
  },
  PostgresInbox: async (startAfter = 0n) => {
    const schema = `inbox_${count++}`;
    const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}`, max: 3 });
    after(() => pool.end());
    await pool.query(`create schema ${schema}`);
    return new PostgresInbox(pool, { startAfter });
  },
};

for (const [name, newInbox] of Object.entries(INBOXES))
  describe(name, () => {
    const events = Array.from({ length: 30 }, (_none, index) => confirmedEvent(BigInt(index + 1)));
    const sequences = events.map((_event, index) => BigInt(index + 1));

    test('once per event, in the order of sequence, however they arrive', async () => {
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events });
      const arriving = [...events, ...events].sort(() => Math.random() - 0.5);
      const statuses = await Promise.all(arriving.map(async (event) => (await receiver(signed(event))).status));
      await receiver.settled();
      assert.deepEqual(new Set(statuses), new Set([200]));
      assert.deepEqual(handled, sequences);
      await send(receiver, signed(events[3] as object));
      assert.deepEqual(handled, sequences);
    });

    test('says of each event whether it is new, and keeps what it follows', async () => {
      const inbox = await newInbox();
      const event = { eventId: 'evt-1', sequence: 3n, follows: 2n, body: '{}' };
      assert.deepEqual([await inbox.add(event), await inbox.add(event)], [true, false]);
      assert.equal(await inbox.handleNext(() => {}), 'gap');
      // The feed shows that nothing comes before it.
      assert.deepEqual([await inbox.add({ ...event, follows: 0n }), await inbox.add(event)], [false, false]);
      assert.equal(await inbox.handleNext(() => {}), 'handled');
      assert.deepEqual([await inbox.add(event), await inbox.handleNext(() => {})], [false, 'empty']);
    });

    test('what is missing before an event comes from the feed, once', async () => {
      const calls: string[] = [];
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events, calls });
      await send(receiver, signed(events[9] as object));
      assert.deepEqual([handled, calls], [sequences, ['/v1/events?after_sequence=0&limit=500']]);
    });

    test('catchUp handles everything of the feed, and goes on where it ended', async () => {
      const many = Array.from({ length: 1_201 }, (_none, index) => confirmedEvent(BigInt(index + 1)));
      const inbox = await newInbox();
      const { receiver, handled } = newReceiver({ inbox, feed: many });
      assert.equal(await receiver.catchUp(), 1_201);
      assert.deepEqual(
        handled,
        many.map((_event, index) => BigInt(index + 1)),
      );
      assert.equal(await receiver.catchUp(), 0);
      assert.equal(await inbox.position(), 1_201n);
    });

    test('events that the service no longer keeps are passed over', async () => {
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events.slice(20) });
      await send(receiver, signed(events[25] as object));
      assert.deepEqual(handled, sequences.slice(20));
    });

    test('starts after a sequence, above 2^53 too', async () => {
      const start = 2n ** 62n;
      const inbox = await newInbox(start);
      const { receiver, handled } = newReceiver({ inbox });
      await send(receiver, signed(confirmedEvent(start)));
      await send(receiver, signed(confirmedEvent(start + 1n)));
      assert.deepEqual([handled, await inbox.position()], [[start + 1n], start + 1n]);
    });

    test('a handler that fails is called again, and nothing after it before', async () => {
      let failures = 2;
      const errors: unknown[] = [];
      const handle = (sequence: bigint) => {
        if (sequence === 2n && failures-- > 0) throw new Error('not now');
      };
      const { receiver, handled } = newReceiver({ inbox: await newInbox(), feed: events, handle, errors });
      for (const event of [...events.slice(0, 3), ...events.slice(2, 3)]) await send(receiver, signed(event));
      assert.deepEqual(handled, sequences.slice(0, 3));
      assert.equal(errors.length, 2);
    });

    test('a failure gives a permit, once', async () => {
      const event = failedEvent(1n, 9_007_199_254_740_993n);
      const { receiver, permits } = newReceiver({ inbox: await newInbox() });
      for (let time = 0; time < 3; time++) await send(receiver, signed(event));
      assert.deepEqual([permits.length, permits[0]?.points], [1, 9_007_199_254_740_993n]);
      assert.ok(RestorationPermit.isPermit(permits[0]));
    });

    test('two receivers of one inbox: still once, in order', async () => {
      const inbox = await newInbox();
      const both = [newReceiver({ inbox, feed: events }), newReceiver({ inbox, feed: events })] as const;
      await Promise.all(events.map((event, index) => both[index % 2 === 0 ? 0 : 1].receiver(signed(event))));
      while ((await inbox.position()) < 30n) for (const { receiver } of both) await receiver.catchUp();
      const all = both.flatMap(({ handled }) => handled);
      assert.deepEqual(
        [...all].sort((a, b) => Number(a - b)),
        sequences,
      );
    });
  });

describe('a handler writes within the transaction of the inbox', () => {
  test('SqliteInbox: the write of a handler that fails is gone', async () => {
    const database = new DatabaseSync(join(folder, 'transaction.db'));
    after(() => database.close());
    database.exec('create table restored (transaction_id text primary key)');
    const inbox = new SqliteInbox(database);
    await inbox.add({ eventId: 'evt_12345678', sequence: 1n, follows: 0n, body: '{}' });
    const write = (tx: DatabaseSync) => tx.prepare("insert into restored values ('txn_1')").run();
    await assert.rejects(
      inbox.handleNext((_event, tx) => {
        write(tx);
        throw new Error('killed');
      }),
    );
    const countRows = () => database.prepare('select count(*) as count from restored').get()?.['count'];
    assert.equal(countRows(), 0);
    assert.equal(await inbox.handleNext((_event, tx) => void write(tx)), 'handled');
    assert.deepEqual([countRows(), await inbox.handleNext(() => {})], [1, 'empty']);
  });

  test('SqliteInbox: a handler that writes to the same file by another connection is told what is wrong, and not taken for busy', async () => {
    const path = join(folder, 'two-connections.db');
    const [database, other] = [new DatabaseSync(path), new DatabaseSync(path, { timeout: 0 })];
    after(() => database.close());
    after(() => other.close());
    database.exec('create table restored (transaction_id text primary key)');
    const inbox = new SqliteInbox(database);
    await inbox.add({ eventId: 'evt_12345678', sequence: 1n, follows: 0n, body: '{}' });
    const write = (connection: DatabaseSync) => void connection.prepare("insert into restored values ('txn_1')").run();
    await assert.rejects(
      inbox.handleNext(() => write(other)),
      (error) =>
        error instanceof ConfigurationError && /second parameter/.test(error.message) && /locked/.test(String(error.cause)),
    );
    assert.equal(await inbox.position(), 0n);
    other.exec('begin immediate');
    assert.equal(await inbox.handleNext((_event, tx) => write(tx)), 'busy');
    other.exec('rollback');
    assert.equal(await inbox.handleNext((_event, tx) => write(tx)), 'handled');
  });

  test('PostgresInbox: the write of a handler that fails is gone', async () => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    after(() => pool.end());
    await pool.query('create table restored (transaction_id text primary key)');
    const inbox = new PostgresInbox<pg.PoolClient>(pool);
    await inbox.add({ eventId: 'evt_12345678', sequence: 1n, follows: 0n, body: '{}' });
    const write = (tx: pg.PoolClient) => tx.query("insert into restored values ('txn_1')");
    await assert.rejects(
      inbox.handleNext(async (_event, tx) => {
        await write(tx);
        throw new Error('killed');
      }),
    );
    const countRows = async () => (await pool.query('select count(*)::int as count from restored')).rows[0].count;
    assert.equal(await countRows(), 0);
    assert.equal(await inbox.handleNext(async (_event, tx) => void (await write(tx))), 'handled');
    assert.deepEqual([await countRows(), await inbox.handleNext(() => {})], [1, 'empty']);
  });
});

describe('an inbox that is out of order', () => {
  test('503 when it cannot store, so that the service sends the event again', async () => {
    const inbox: Inbox<undefined> = {
      position: async () => 0n,
      add: () => Promise.reject(new Error('disk full')),
      handleNext: async () => 'empty',
    };
    const { receiver, errors } = newReceiver({ inbox: inbox as Inbox<unknown> });
    assert.deepEqual(await send(receiver, signed(confirmedEvent(1n))), [503, { problem: 'not_stored' }]);
    assert.equal(errors.length, 1);
  });
});

describe('adapters', () => {
  const post = async (url: string, request: Request) => {
    const response = await fetch(url, { method: 'POST', headers: request.headers, body: await request.text() });
    return response.status;
  };

  test('nodeHandler: the raw bytes, and a refusal for others', async () => {
    const { receiver, handled } = newReceiver();
    const handler = nodeHandler(receiver);
    const server = createServer((request, response) => void handler(request, response)).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    assert.equal(await post(url, signed(confirmedEvent(1n))), 200);
    assert.equal(await post(url, signed(confirmedEvent(2n), { secret: NEXT_SECRET })), 401);
    assert.equal((await fetch(url)).status, 405);
    await receiver.settled();
    assert.deepEqual(handled, [1n]);
  });

  test('expressHandler: the raw bytes, bytes that a parser kept, and an error for a body that was parsed', async () => {
    const { receiver, handled } = newReceiver();
    const handler = expressHandler(receiver);
    const failures: unknown[] = [];
    // What Express does: its requests and responses are those of node:http, and a parser puts `body` on the request.
    const server = createServer(async (request, response) => {
      const kept = request.url === '/raw' ? Buffer.concat(await Array.fromAsync(request)) : undefined;
      const body = request.url === '/parsed' ? {} : kept;
      await handler(Object.assign(request, body && { body }), response, (error) => {
        failures.push(error);
        response.writeHead(500).end();
      });
    }).listen(0, '127.0.0.1');
    after(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.equal(await post(`${url}/hook`, signed(confirmedEvent(1n))), 200);
    assert.equal(await post(`${url}/raw`, signed(confirmedEvent(2n))), 200);
    assert.equal(await post(`${url}/raw`, signed(confirmedEvent(3n), { secret: NEXT_SECRET })), 401);
    assert.equal(await post(`${url}/parsed`, signed(confirmedEvent(3n))), 500);
    await receiver.settled();
    assert.deepEqual(handled, [1n, 2n]);
    assert.ok(failures[0] instanceof ConfigurationError);
  });

  test('fastifyPlugin: the raw bytes, and bodies of other routes stay parsed', async () => {
    const { receiver, handled } = newReceiver();
    const app = fastify();
    after(() => app.close());
    app.register(fastifyPlugin(receiver, '/hook'));
    app.post('/other', async (request) => (request.body as { a: number }).a);
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    assert.equal(await post(`${url}/hook`, signed(confirmedEvent(1n))), 200);
    assert.equal(await post(`${url}/hook`, await changed(signed(confirmedEvent(2n)), { body: '{}' })), 401);
    const other = await fetch(`${url}/other`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":5}',
    });
    assert.equal(await other.text(), '5');
    await receiver.settled();
    assert.deepEqual(handled, [1n]);
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
