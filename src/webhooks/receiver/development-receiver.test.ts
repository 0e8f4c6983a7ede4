import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { newSecret, serviceSignature, signAttempt } from '../security/signature.ts';
import { openReceiver, type ReceivedEvent, type Receiver, type ReceiverOptions } from './development-receiver.ts';

const SECRET = newSecret();
const SENT_AT_SECONDS = 1_767_225_600;
const RECEIVED_AT = new Date((SENT_AT_SECONDS + 2) * 1000);
const EVENT_ID = 'evt_01JTEST0000000000000000001';
const BODY_BYTES_MAX = 1_048_576;

const receivers: Receiver[] = [];
after(() => Promise.all(receivers.map((receiver) => receiver.close())));

async function newReceiver(change: Partial<ReceiverOptions> = {}) {
  const events: ReceivedEvent[] = [];
  const refusals: string[] = [];
  const receiver = await openReceiver({
    port: 0,
    secret: SECRET,
    status: 200,
    now: () => RECEIVED_AT,
    onEvent: (event) => events.push(event),
    onRefusal: (sentence) => refusals.push(sentence),
    ...change,
  });
  receivers.push(receiver);
  return { url: receiver.url, events, refusals };
}

interface Sent {
  readonly eventId?: string;
  readonly eventType?: string;
  readonly sequence?: string;
  readonly attemptNumber?: number;
  readonly secrets?: { current: string; next?: string };
  readonly data?: string;
}

function makeDelivery(sent: Sent = {}): { headers: Record<string, string>; body: string } {
  const { eventId = EVENT_ID, eventType = 'impact.transaction.confirmed', sequence = '7', attemptNumber = 1 } = sent;
  const body = `{"event_id":"${eventId}","event_type":"${eventType}","sequence":${sequence},"data":${sent.data ?? '{"points":9223372036854775807}'}}`;
  const headers = signAttempt(sent.secrets ?? { current: SECRET }, {
    eventId,
    eventType,
    deliveryId: 'dlv_1',
    attemptNumber,
    correlationId: 'cor_00000001',
    sentAtSeconds: SENT_AT_SECONDS,
    body: Buffer.from(body),
  });
  return { headers, body };
}

function post(url: string, { headers, body }: { headers?: Record<string, string>; body: string | Uint8Array<ArrayBuffer> }) {
  return fetch(url, { method: 'POST', body, headers: headers ?? {} });
}

test('a delivery that verifies is told with its type, id, sequence and attempt, and answered', async () => {
  const { url, events, refusals } = await newReceiver();
  const delivery = makeDelivery({ sequence: '9223372036854775807', attemptNumber: 3 });
  const answer = await post(`${url}any/path?at=all`, delivery);
  assert.deepEqual([answer.status, await answer.text()], [200, '']);
  const { headers, body, ...event } = events[0] as ReceivedEvent;
  assert.deepEqual(event, {
    receivedAt: RECEIVED_AT,
    verdict: { status: 'valid', header: 'X-Service-Signature', ageSeconds: 2 },
    eventType: 'impact.transaction.confirmed',
    eventId: EVENT_ID,
    sequence: 9223372036854775807n,
    attempt: '3',
    isRepeated: false,
  });
  assert.equal(body.toString(), delivery.body);
  assert.deepEqual(
    Object.keys(headers).sort(),
    Object.keys(delivery.headers)
      .map((name) => name.toLowerCase())
      .filter((name) => name !== 'x-correlation-id')
      .sort(),
  );
  assert.deepEqual([events.length, refusals], [1, []]);
});

test('Events, 1: the raw bytes are verified, whatever they are', async () => {
  const { url, events } = await newReceiver();
  const bytes = Uint8Array.from([0xff, 0x00, 0x0d, 0x0a]);
  const timestamp = String(SENT_AT_SECONDS);
  const headers = {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': serviceSignature(SECRET, timestamp, Buffer.from(bytes)),
    'X-Service-Event-Id': 'evt_1',
    'X-Service-Event-Type': 'another.kind',
  };
  await post(url, { headers, body: bytes });
  assert.deepEqual([events[0]?.verdict.status, events[0]?.eventType, events[0]?.eventId], ['valid', 'another.kind', 'evt_1']);
});

test('a delivery that does not verify is told with its cause, and answered all the same', async () => {
  const { url, events } = await newReceiver();
  const { headers, body } = makeDelivery();
  const answers = [
    await post(url, { headers: { ...headers, 'X-Service-Signature': `v1=${'0'.repeat(64)}` }, body }),
    await post(url, { headers, body: `${body}\n` }),
    await post(url, { body }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.deepEqual(
    events.map(({ verdict }) => [verdict.status, 'causes' in verdict ? verdict.causes : undefined]),
    [
      ['signature_differs', []],
      ['signature_differs', ['newline_removed']],
      ['timestamp_missing', undefined],
    ],
  );
});

test('Events, 3: the time of receipt decides whether a timestamp is accepted', async () => {
  const { url, events } = await newReceiver({ now: () => new Date((SENT_AT_SECONDS + 301) * 1000) });
  await post(url, makeDelivery());
  assert.equal(events[0]?.verdict.status, 'timestamp_outside_tolerance');
});

test('Events, 4: an event id that came before is repeated', async () => {
  const { url, events } = await newReceiver();
  await post(url, makeDelivery());
  await post(url, makeDelivery({ attemptNumber: 2 }));
  await post(url, makeDelivery({ eventId: 'evt_other' }));
  assert.deepEqual(
    events.map(({ isRepeated }) => isRepeated),
    [false, true, false],
  );
});

test("a stranger's delivery makes no event a repeated one", async () => {
  const { url, events } = await newReceiver();
  await post(url, makeDelivery({ secrets: { current: newSecret() } }));
  await post(url, makeDelivery());
  assert.deepEqual(
    events.map(({ verdict, isRepeated }) => [verdict.status, isRepeated]),
    [
      ['signature_differs', false],
      ['valid', false],
    ],
  );
});

test('without a secret nothing is checked, and that is said of each', async () => {
  const { url, events } = await newReceiver({ secret: undefined });
  await post(url, makeDelivery());
  await post(url, makeDelivery());
  assert.deepEqual(
    events.map(({ verdict, isRepeated }) => [verdict, isRepeated]),
    [
      [{ status: 'not_checked' }, false],
      [{ status: 'not_checked' }, true],
    ],
  );
});

test('a challenge is answered 200 with its value, other events with the status that was asked for', async () => {
  const { url, events } = await newReceiver({ status: 503 });
  const challenge = makeDelivery({
    eventType: 'webhook.endpoint.verification',
    sequence: 'null',
    data: '{"challenge":"a \\"value\\""}',
  });
  const answer = await post(url, challenge);
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.get('content-type')), /^application\/json/);
  assert.deepEqual(await answer.json(), { challenge: 'a "value"' });
  assert.equal(events[0]?.sequence, undefined);
  assert.equal((await post(url, makeDelivery())).status, 503);
  assert.equal((await post(url, makeDelivery({ eventType: 'webhook.endpoint.verification', data: 'null' }))).status, 503);
});

test('a challenge in another event is not answered', async () => {
  const { url } = await newReceiver();
  const answer = await post(url, makeDelivery({ data: '{"challenge":"a"}' }));
  assert.equal(await answer.text(), '');
});

test('type and id are those of the signed body, whatever the unsigned headers say', async () => {
  const { url, events } = await newReceiver();
  const { headers, body } = makeDelivery();
  await post(url, { headers: { ...headers, 'X-Service-Event-Id': 'evt_other', 'X-Service-Event-Type': 'another.kind' }, body });
  assert.deepEqual([events[0]?.eventId, events[0]?.eventType], [EVENT_ID, 'impact.transaction.confirmed']);
});

test('what is not JSON, or no envelope, is a delivery without type and id', async () => {
  const { url, events } = await newReceiver({ secret: undefined });
  for (const body of [
    '',
    'no JSON',
    '[]',
    'null',
    '"text"',
    '{"event_id":1,"event_type":{},"sequence":"1"}',
    '['.repeat(100_000),
  ])
    assert.equal((await post(url, { body })).status, 200, body.slice(0, 20));
  assert.equal(events.length, 7);
  for (const { eventId, eventType, sequence, isRepeated } of events)
    assert.deepEqual([eventId, eventType, sequence, isRepeated], [undefined, undefined, undefined, false]);
});

test('405: whatever is not a POST', async () => {
  const { url, events, refusals } = await newReceiver();
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await fetch(url, { method });
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
  }
  assert.deepEqual([events.length, refusals.length], [0, 3]);
});

test('413: a body of more than 1 MiB, while 1 MiB itself passes', async () => {
  const { url, events, refusals } = await newReceiver();
  assert.equal((await post(url, { body: new Uint8Array(BODY_BYTES_MAX) })).status, 200);
  assert.equal((await post(url, { body: new Uint8Array(BODY_BYTES_MAX + 1) })).status, 413);
  assert.equal((await post(url, { body: new Uint8Array(8 * BODY_BYTES_MAX) })).status, 413);
  assert.deepEqual([events.length, refusals.length], [1, 2]);
  assert.equal(events[0]?.body.length, BODY_BYTES_MAX);
});

test('a sender that goes away in the middle of its body is told of, and the next one is served', async () => {
  const refused = Promise.withResolvers<string>();
  const { url, events } = await newReceiver({ onRefusal: refused.resolve });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"eve', () => socket.destroy());
  assert.match(await refused.promise, /^A sender closed the connection/);
  assert.equal((await post(url, makeDelivery())).status, 200);
  assert.equal(events.length, 1);
});

test('a header that comes twice is not verified by either of its values', async () => {
  const { url, events } = await newReceiver();
  const { headers, body } = makeDelivery();
  const signature = String(headers['X-Service-Signature']);
  const sending = request(url, { method: 'POST', headers: { ...headers, 'X-Service-Signature': [signature, signature] } });
  sending.end(body);
  await once(sending, 'response');
  assert.equal(events[0]?.verdict.status, 'signature_ill_formed');
});

test('it is reached from this machine alone', async () => {
  const { url } = await newReceiver();
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
});

test('a port that is taken is an error', async () => {
  const { url } = await newReceiver();
  await assert.rejects(newReceiver({ port: Number(new URL(url).port) }), { code: 'EADDRINUSE' });
});
