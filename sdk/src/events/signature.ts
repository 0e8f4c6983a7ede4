import { createHmac, timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../errors.ts';

/** A timestamp is accepted so far before and after its receipt. */
const TOLERANCE_SECONDS = 300;

/** Reads a header by its name; `null` where it is absent. */
export type ReadHeader = (name: string) => string | null;

/** One secret, and not two without a line end between them. */
const SECRET = /^whsec_(?!.*whsec_)[\x21-\x7E]{16,}$/;

/** Why a request is not from the service. The text is for the partner's own log. */
export type SignatureProblem = 'no_signature' | 'bad_timestamp' | 'old_timestamp' | 'future_timestamp' | 'wrong_signature';

/** What a person who reads the problem looks at first. */
export const ADVICE: Readonly<Record<SignatureProblem, string>> = {
  no_signature: 'It has no signature: it is not from the service, or a proxy removed its headers.',
  bad_timestamp: 'Its timestamp is missing or is not in whole seconds: a proxy may have changed its headers.',
  old_timestamp: 'It was signed more than 5 minutes ago: check the clock of this machine, and what delays or repeats requests.',
  future_timestamp: 'It was signed more than 5 minutes in the future: check the clock of this machine.',
  wrong_signature: 'Check that the receiver has the whole secret of this endpoint, and reads the body as the bytes that arrive.',
};

/** @throws ConfigurationError for what is no whole secret: the usual mistake is to decode it or to cut `whsec_` off. */
export function checkSecrets(secrets: string | readonly string[]): readonly string[] {
  const all = Array.isArray(secrets) ? secrets : [secrets];
  if (all.length === 0 || all.some((secret) => typeof secret !== 'string' || !SECRET.test(secret)))
    throw new ConfigurationError(
      'secrets must be the whole secrets of the endpoint, each with its whsec_, as the operator gave them.',
    );
  return all;
}

/**
 * Whether one of the secrets signed these bytes just now. Of the two kinds of signature, the service's own and that of Standard
 * Webhooks, at least one must be there, and each that is there must verify.
 *
 * @param nowMs Milliseconds since 1970.
 */
export function findSignatureProblem(
  secrets: readonly string[],
  header: ReadHeader,
  body: Uint8Array,
  nowMs: number,
): SignatureProblem | undefined {
  const own = [header('X-Service-Signature'), header('X-Service-Signature-Next')].filter((text) => text !== null);
  const standard = header('webhook-signature');
  const keys = secrets.map(decodeSecret).filter((key) => key !== undefined);
  if (own.length === 0 && standard === null) return 'no_signature';
  if (own.length > 0) {
    const timestamp = header('X-Service-Timestamp');
    const expected = secrets.map((secret) => `v1=${hmac(secret, `${timestamp}.`, body, 'hex')}`);
    const problem = findProblem(timestamp, nowMs, () => own.some((text) => isOneOf(text, expected)));
    if (problem) return problem;
  }
  if (standard === null || (own.length > 0 && keys.length === 0)) return undefined;
  const [id, timestamp] = [header('webhook-id'), header('webhook-timestamp')];
  const expected = keys.map((key) => `v1,${hmac(key, `${id}.${timestamp}.`, body, 'base64')}`);
  return findProblem(timestamp, nowMs, () => id !== null && standard.split(' ').some((text) => isOneOf(text, expected)));
}

function findProblem(timestamp: string | null, nowMs: number, isSigned: () => boolean): SignatureProblem | undefined {
  if (timestamp === null || !/^[0-9]{1,15}$/.test(timestamp)) return 'bad_timestamp';
  const ageSeconds = Math.floor(nowMs / 1000) - Number(timestamp);
  if (ageSeconds > TOLERANCE_SECONDS) return 'old_timestamp';
  if (ageSeconds < -TOLERANCE_SECONDS) return 'future_timestamp';
  return isSigned() ? undefined : 'wrong_signature';
}

/** Standard Webhooks signs with the decoded part after `whsec_`; a secret that is no base64 has none. */
function decodeSecret(secret: string): Buffer | undefined {
  const text = secret.slice('whsec_'.length);
  const key = Buffer.from(text, 'base64');
  return key.toString('base64') === text ? key : undefined;
}

export function hmac(key: string | Uint8Array, head: string, body: Uint8Array, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', key).update(head).update(body).digest(encoding);
}

/** In constant time for texts of the same length. */
function isOneOf(received: string, expected: readonly string[]): boolean {
  const bytes = Buffer.from(received);
  return expected.map((text) => Buffer.from(text)).some((each) => each.length === bytes.length && timingSafeEqual(each, bytes));
}

/** The headers of a delivery, for tests. */
export function sign(secret: string, eventId: string, timestamp: string, body: Uint8Array): Record<string, string> {
  const key = decodeSecret(secret);
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': `v1=${hmac(secret, `${timestamp}.`, body, 'hex')}`,
    ...(key && {
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${hmac(key, `${eventId}.${timestamp}.`, body, 'base64')}`,
    }),
  };
}
