import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { type DeliveryAttempt, newSecret, serviceSignature, signAttempt } from './signature.ts';

const ATTEMPT: DeliveryAttempt = {
  eventId: 'evt_01JTEST0000000000000000001',
  eventType: 'impact.transaction.confirmed',
  deliveryId: 'dlv_01JTEST0000000000000000002',
  attemptNumber: 3,
  correlationId: 'cor_0123456789',
  sentAtSeconds: 1_767_225_600,
  body: Buffer.from(
    '{"event_id":"evt_01JTEST0000000000000000001","event_type":"impact.transaction.confirmed","points":9223372036854775807,"name":"شجرة"}',
  ),
};
const SECRET = 'whsec_test_0123456789abcdef0123456789abcdef';
const bodies = fc.oneof(fc.string({ unit: 'grapheme' }).map(Buffer.from), fc.uint8Array().map(Buffer.from));

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The HMAC in hexadecimal by OpenSSL, which shares no code with what is tested. */
function opensslHmac(secret: string, text: Buffer): string {
  const answer = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: text, encoding: 'utf8' });
  return answer.trim().split(' ').at(-1) as string;
}

test('decisions, section 7: the known answer', () => {
  assert.equal(ATTEMPT.body.length, 136);
  const headers = signAttempt({ current: SECRET }, ATTEMPT);
  assert.equal(headers['X-Service-Timestamp'], '1767225600');
  assert.equal(headers['X-Service-Signature'], 'v1=1290dcf3afe218c7abb47ae5789c9c68eeac43c44bbe1eb37518df7806a1f1c8');
});

test('Events, 1: OpenSSL finds the same signature of timestamp, full stop and raw bytes', () => {
  const check = (secret: string, body: Buffer) => {
    const expected = opensslHmac(secret, Buffer.concat([Buffer.from('1767225600.'), body]));
    assert.equal(serviceSignature(secret, '1767225600', body), `v1=${expected}`);
  };
  check(SECRET, ATTEMPT.body);
  check(newSecret(), Buffer.alloc(0));
  fc.assert(
    fc.property(bodies, (body) => check(newSecret(), body)),
    { numRuns: 20 },
  );
});

test('Events, 2: without a rotation every header stands once, and no other', () => {
  const headers = signAttempt({ current: SECRET, next: undefined }, ATTEMPT);
  const { 'X-Service-Signature': signature, 'webhook-signature': standard, ...others } = headers;
  assert.match(String(signature), /^v1=[0-9a-f]{64}$/);
  assert.match(String(standard), /^v1,[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(others, {
    'X-Service-Timestamp': '1767225600',
    'X-Service-Event-Id': ATTEMPT.eventId,
    'X-Service-Event-Type': 'impact.transaction.confirmed',
    'X-Service-Delivery-Id': ATTEMPT.deliveryId,
    'X-Service-Attempt': '3',
    'X-Correlation-ID': 'cor_0123456789',
    'webhook-id': ATTEMPT.eventId,
    'webhook-timestamp': '1767225600',
  });
});

test('decisions, section 7: while a secret rotates, the signature stays the old one and the new one has its own header', () => {
  const secrets = { current: newSecret(), next: newSecret() };
  const headers = signAttempt(secrets, ATTEMPT);
  assert.equal(headers['X-Service-Signature'], serviceSignature(secrets.current, '1767225600', ATTEMPT.body));
  assert.equal(headers['X-Service-Signature-Next'], serviceSignature(secrets.next, '1767225600', ATTEMPT.body));
  const [current, next, ...others] = String(headers['webhook-signature']).split(' ');
  assert.equal(current, signAttempt({ current: secrets.current }, ATTEMPT)['webhook-signature']);
  assert.equal(next, signAttempt({ current: secrets.next }, ATTEMPT)['webhook-signature']);
  assert.deepEqual(others, []);
});

test('decisions, section 7: the published verifier of Standard Webhooks accepts what is sent, under either secret of a rotation', () => {
  const secrets = { current: newSecret(), next: newSecret() };
  fc.assert(
    fc.property(fc.json(), (json) => {
      const body = Buffer.from(json);
      const headers = signAttempt(secrets, { ...ATTEMPT, sentAtSeconds: nowSeconds(), body });
      for (const secret of [secrets.current, secrets.next]) {
        assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(json));
      }
    }),
  );
});

test('decisions, section 7: the published verifier refuses another secret, body, event id or time', () => {
  const current = newSecret();
  const verify = (change: Record<string, string>, body = ATTEMPT.body, secret = current) => {
    const headers = signAttempt({ current }, { ...ATTEMPT, sentAtSeconds: nowSeconds() });
    return new Webhook(secret).verify(body, { ...headers, ...change });
  };
  verify({});
  assert.throws(() => verify({}, ATTEMPT.body, newSecret()), WebhookVerificationError);
  assert.throws(() => verify({}, Buffer.concat([ATTEMPT.body, Buffer.from(' ')])), WebhookVerificationError);
  assert.throws(() => verify({ 'webhook-id': 'evt_other' }), WebhookVerificationError);
  assert.throws(() => verify({ 'webhook-timestamp': String(nowSeconds() - 100) }), WebhookVerificationError);
});

test('reliability: a later attempt is signed anew, and nothing but time and attempt changes', () => {
  const current = newSecret();
  const first = signAttempt({ current }, ATTEMPT);
  const later = signAttempt({ current }, { ...ATTEMPT, attemptNumber: 4, sentAtSeconds: ATTEMPT.sentAtSeconds + 301 });
  const changed = Object.keys(first).filter((name) => first[name] !== later[name]);
  assert.deepEqual(changed.sort(), [
    'X-Service-Attempt',
    'X-Service-Signature',
    'X-Service-Timestamp',
    'webhook-signature',
    'webhook-timestamp',
  ]);
});

test('decisions, section 7: a secret is whsec_ and the base64 of 32 random bytes', () => {
  const secrets = Array.from({ length: 1000 }, newSecret);
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
  assert.equal(new Set(secrets).size, secrets.length);
});

test('a time that is no whole seconds is a defect, never a header', () => {
  for (const sentAtSeconds of [Date.now(), 1_767_225_600.5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => signAttempt({ current: SECRET }, { ...ATTEMPT, sentAtSeconds }), /whole seconds/);
  }
});
