import assert from 'node:assert/strict';
import { createHmac, createSecretKey, type Hmac, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** `whsec_` and the base64 of 32 random bytes. */
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Ten digits end in the year 2286; the milliseconds of today have thirteen. */
const SECONDS_LIMIT = 10_000_000_000;

/** While a secret rotates, `next` is the secret that replaces `current`. */
export interface EndpointSecrets {
  readonly current: string;
  readonly next?: string | undefined;
}

/** One attempt to deliver one event to one endpoint. */
export interface DeliveryAttempt {
  readonly eventId: string;
  readonly eventType: string;
  readonly deliveryId: string;
  /** 1 for the first. */
  readonly attemptNumber: number;
  readonly correlationId: string;
  /** Seconds since 1970, whole, of this attempt: a receiver refuses a signature that is more than five minutes old. */
  readonly sentAtSeconds: number;
  /** The bytes as they are sent. */
  readonly body: Buffer;
}

/** A new secret with 256 random bits, shown once and stored only in a {@link SecretBox}. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of one attempt that depend on the event, the attempt and the endpoint's secrets, without `Content-Type`.
 * `X-Service-Signature` is always exactly one `v1=<hex>`, by the current secret. While a secret rotates, `X-Service-Signature-Next` is
 * that of the next one, and `webhook-signature` lists both, the current one first. The signatures cover the timestamp, the body and, in
 * the headers of Standard Webhooks, the event id: the other headers are for reading.
 *
 * @see docs/spec/interface.md#events, consumer rules 1 and 2; https://www.standardwebhooks.com for the headers `webhook-…`.
 */
export function signAttempt(secrets: EndpointSecrets, attempt: DeliveryAttempt): Record<string, string> {
  const { current, next } = secrets;
  const { eventId, eventType, deliveryId, attemptNumber, correlationId, sentAtSeconds, body } = attempt;
  const timestamp = writeTimestamp(sentAtSeconds);
  const known = next === undefined ? [current] : [current, next];
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': serviceSignature(current, timestamp, body),
    ...(next !== undefined && { 'X-Service-Signature-Next': serviceSignature(next, timestamp, body) }),
    'X-Service-Event-Id': eventId,
    'X-Service-Event-Type': eventType,
    'X-Service-Delivery-Id': deliveryId,
    'X-Service-Attempt': String(attemptNumber),
    'X-Correlation-ID': correlationId,
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': known.map((secret) => standardSignature(secret, `${eventId}.${timestamp}.`, body)).join(' '),
  };
}

/**
 * `v1=<hex>`: HMAC-SHA256 of the timestamp, a full stop and the body's bytes, under the UTF-8 bytes of the whole secret.
 *
 * @param timestamp The exact value of `X-Service-Timestamp`.
 */
export function serviceSignature(secret: string, timestamp: string, body: Buffer): string {
  return `v1=${hmac(keysOf(secret).service, `${timestamp}.`, body).digest('hex')}`;
}

/** The key of Standard Webhooks: the bytes of the base64 after `whsec_`. */
export function decodeSecret(secret: string): Buffer {
  return Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
}

/** HMAC-SHA256 of a prefix followed by the body's bytes. To digest it as text takes less time than to encode its bytes afterwards. */
export function hmac(key: string | Buffer | KeyObject, prefix: string, body: Buffer): Hmac {
  return createHmac('sha256', key).update(prefix).update(body);
}

interface SecretKeys {
  readonly service: KeyObject;
  readonly standard: KeyObject;
}

/** Node takes longer to create a key from bytes than to sign with it. */
const knownKeys = new LRUCache<string, SecretKeys>({ max: 1_000 });

function keysOf(secret: string): SecretKeys {
  const keys = knownKeys.get(secret) ?? {
    service: createSecretKey(secret, 'utf8'),
    standard: createSecretKey(decodeSecret(secret)),
  };
  knownKeys.set(secret, keys);
  return keys;
}

function standardSignature(secret: string, prefix: string, body: Buffer): string {
  return `v1,${hmac(keysOf(secret).standard, prefix, body).digest('base64')}`;
}

function writeTimestamp(seconds: number): string {
  // Every receiver would refuse a fraction, or milliseconds by mistake.
  assert(Number.isInteger(seconds) && seconds > 0 && seconds < SECONDS_LIMIT, 'a timestamp is whole seconds since 1970');
  return String(seconds);
}
