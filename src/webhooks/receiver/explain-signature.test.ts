import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newSecret, signAttempt } from '../security/signature.ts';
import { CAUSES, explainSignature, type ReceivedDelivery, type SignatureCause } from './explain-signature.ts';

const SENT_AT_SECONDS = 1_767_225_600;
const TIMESTAMP = String(SENT_AT_SECONDS);
const SECRET = newSecret();
const DECODED = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
const TEXT = '{"points":9223372036854775807,"name":"شجرة","url":"https://a.example/b"}';

function delivery(change: Partial<ReceivedDelivery> & { secrets?: { current: string; next?: string } } = {}): ReceivedDelivery {
  const { secrets = { current: SECRET }, ...rest } = change;
  const headers = signAttempt(secrets, {
    eventId: 'evt_1',
    eventType: 'impact.transaction.confirmed',
    deliveryId: 'dlv_1',
    attemptNumber: 1,
    correlationId: 'cor_00000001',
    sentAtSeconds: SENT_AT_SECONDS,
    body: Buffer.from(TEXT),
  });
  return { secret: SECRET, headers, body: Buffer.from(TEXT), nowSeconds: SENT_AT_SECONDS + 2, ...rest };
}

function withHeaders(change: Record<string, string | undefined>, secrets?: { current: string; next?: string }): ReceivedDelivery {
  const valid = delivery(secrets && { secrets });
  return { ...valid, headers: { ...valid.headers, ...change } };
}

/** A signature over any text, made here and not by what is tested. */
function sign(key: string | Buffer, text: string | Buffer): string {
  return `v1=${createHmac('sha256', key).update(text).digest('hex')}`;
}

test('valid: what the service sends, whatever the case of the header names', () => {
  assert.deepEqual(explainSignature(delivery()), { status: 'valid', header: 'X-Service-Signature', ageSeconds: 2 });
  const valid = delivery();
  const lowerCase = Object.fromEntries(Object.entries(valid.headers).map(([name, value]) => [name.toLowerCase(), value]));
  assert.equal(explainSignature({ ...valid, headers: lowerCase }).status, 'valid');
});

test('valid: during a rotation the next secret is found in its own header, and the current one still in the first', () => {
  const secrets = { current: newSecret(), next: newSecret() };
  const rotating = delivery({ secrets });
  assert.deepEqual(explainSignature({ ...rotating, secret: secrets.next }), {
    status: 'valid',
    header: 'X-Service-Signature-Next',
    ageSeconds: 2,
  });
  assert.deepEqual(explainSignature({ ...rotating, secret: secrets.current }), {
    status: 'valid',
    header: 'X-Service-Signature',
    ageSeconds: 2,
  });
  assert.equal(explainSignature(rotating).status, 'signature_differs');
});

test('Events, 3: a timestamp is accepted within five minutes before or after receipt, the bounds included', () => {
  const at = (offset: number) => explainSignature(delivery({ nowSeconds: SENT_AT_SECONDS + offset }));
  for (const offset of [-300, -1, 0, 300]) assert.equal(at(offset).status, 'valid', String(offset));
  for (const offset of [-301, 301, 86_400]) {
    assert.deepEqual(at(offset), { status: 'timestamp_outside_tolerance', ageSeconds: offset, toleranceSeconds: 300 });
  }
});

describe('what is missing or ill formed is named first', () => {
  test('the timestamp', () => {
    for (const timestamp of [undefined, ''])
      assert.equal(explainSignature(withHeaders({ 'X-Service-Timestamp': timestamp })).status, 'timestamp_missing');
    for (const timestamp of [
      '2026-01-01T00:00:00Z',
      '1767225600.0',
      ' 1767225600',
      '+1767225600',
      '-1',
      '0x10',
      '1'.repeat(16),
    ]) {
      assert.deepEqual(explainSignature(withHeaders({ 'X-Service-Timestamp': timestamp })), {
        status: 'timestamp_ill_formed',
        timestamp,
      });
    }
  });

  test('the signature', () => {
    for (const signature of [undefined, ''])
      assert.equal(explainSignature(withHeaders({ 'X-Service-Signature': signature })).status, 'signature_missing');
    const hex = 'a'.repeat(64);
    for (const signature of [
      hex,
      `v1=${hex.toUpperCase()}`,
      `v1,${hex}`,
      `v2=${hex}`,
      `v1=${hex}a`,
      `v1=${hex} v1=${hex}`,
      'v1=',
    ]) {
      assert.deepEqual(explainSignature(withHeaders({ 'X-Service-Signature': signature })), {
        status: 'signature_ill_formed',
        signature,
      });
    }
  });
});

describe('signature_differs: the likely causes', () => {
  const numbersRounded = JSON.stringify(JSON.parse(TEXT));
  const spaced = '{"points": 9223372036854775807, "name": "شجرة", "url": "https://a.example/b"}';
  const escaped = '{"points":9223372036854775807,"name":"\\u0634\\u062c\\u0631\\u0629","url":"https:\\/\\/a.example\\/b"}';
  /** How another signed, and what is found; the body at hand is `TEXT` unless it is given. */
  const cases: [signature: string, causes: SignatureCause[], body?: string | Buffer, secret?: string][] = [
    [sign(DECODED, `${TIMESTAMP}.${TEXT}`), ['secret_decoded']],
    [sign(SECRET.slice(6), `${TIMESTAMP}.${TEXT}`), ['secret_without_prefix']],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}`), ['secret_lacks_prefix'], TEXT, SECRET.slice(6)],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}`), ['secret_with_whitespace'], TEXT, `${SECRET}\n`],
    [sign(SECRET, TEXT), ['timestamp_left_out']],
    [sign(SECRET, TIMESTAMP + TEXT), ['full_stop_left_out']],
    [sign(SECRET, `evt_1.${TIMESTAMP}.${TEXT}`), ['standard_webhooks_text']],
    [sign(DECODED, `evt_1.${TIMESTAMP}.${TEXT}`), ['secret_decoded', 'standard_webhooks_text']],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}`), ['newline_removed'], `${TEXT}\n`],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}`), ['newline_removed'], `${TEXT}\r\n`],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}\n`), ['newline_added']],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}\r\n`), ['newline_added']],
    [sign(SECRET, `${TIMESTAMP}.{\n}\n`), ['line_ends_changed'], '{\r\n}\r\n'],
    [sign(SECRET, `${TIMESTAMP}.{\r\n}`), ['line_ends_changed'], '{\n}'],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}`), ['byte_order_mark'], `\u{FEFF}${TEXT}`],
    [sign(SECRET, `${TIMESTAMP}.\u{FEFF}${TEXT}`), ['byte_order_mark']],
    [sign(SECRET, `${TIMESTAMP}.${TEXT}`), ['body_compacted'], spaced],
    [sign(SECRET, `${TIMESTAMP}.${numbersRounded}`), ['body_written_again']],
    [sign(SECRET, `${TIMESTAMP}.${JSON.stringify(JSON.parse(TEXT), null, 2)}`), ['body_indented']],
    [sign(SECRET, `${TIMESTAMP}.${spaced}`), ['body_spaced']],
    [sign(SECRET, `${TIMESTAMP}.${escaped}`), ['body_escaped']],
    [
      sign(SECRET, Buffer.from(`${TIMESTAMP}.${TEXT}`)),
      ['body_other_charset'],
      Buffer.from(Buffer.from(TEXT).toString('latin1')),
    ],
    [sign(SECRET, `${TIMESTAMP}.${Buffer.from(TEXT).toString('latin1')}`), ['body_other_charset']],
    [sign(DECODED, `${TEXT}\n`), ['secret_decoded', 'timestamp_left_out', 'newline_added']],
  ];
  for (const [signature, causes, body = TEXT, secret = SECRET] of cases) {
    test(`${causes.join(' and ')}: ${JSON.stringify(String(body).slice(0, 12))}`, () => {
      const valid = withHeaders({ 'X-Service-Signature': signature });
      const verdict = explainSignature({ ...valid, secret, body: Buffer.from(body as string) });
      assert.ok(verdict.status === 'signature_differs');
      assert.deepEqual(verdict.causes, causes);
      assert.equal(verdict.received, signature);
      assert.notEqual(verdict.expected, signature);
    });
  }

  test('every cause is reached', () => {
    assert.deepEqual([...new Set(cases.flatMap(([, causes]) => causes))].sort(), Object.keys(CAUSES).sort());
  });

  test('another secret, or a body of other content, has none', () => {
    for (const strange of [delivery({ secret: newSecret() }), delivery({ body: Buffer.from('{"points":1}') })]) {
      const verdict = explainSignature(strange);
      assert.ok(verdict.status === 'signature_differs');
      assert.deepEqual(verdict.causes, []);
    }
  });

  test('what was expected is said: with it in the header the delivery is valid', () => {
    const verdict = explainSignature(withHeaders({ 'X-Service-Signature': `v1=${'0'.repeat(64)}` }));
    assert.ok(verdict.status === 'signature_differs');
    assert.equal(explainSignature(withHeaders({ 'X-Service-Signature': verdict.expected })).status, 'valid');
  });
});

test('any one changed byte of body or signature is noticed, and nothing makes it throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, place, change) => {
      const body = Buffer.from(bytes);
      const headers = {
        'X-Service-Timestamp': TIMESTAMP,
        'X-Service-Signature': sign(SECRET, Buffer.concat([Buffer.from(`${TIMESTAMP}.`), body])),
      };
      const valid = { secret: SECRET, headers, body, nowSeconds: SENT_AT_SECONDS };
      assert.equal(explainSignature(valid).status, 'valid');
      const altered = Buffer.from(body);
      altered[place % body.length] = (altered[place % body.length] as number) ^ change;
      assert.equal(explainSignature({ ...valid, body: altered }).status, 'signature_differs');
    }),
  );
});
