import { timingSafeEqual } from 'node:crypto';
import { decodeSecret, hmac } from '../security/signature.ts';

/**
 * A receiver accepts a timestamp only within five minutes before or after receipt.
 *
 * @see docs/spec/interface.md#events, consumer rule 3.
 */
const TOLERANCE_SECONDS = 300;

/** A delivery as a receiver got it, or as a receiver's own test made it. */
export interface ReceivedDelivery {
  /** The whole string `whsec_…`. */
  readonly secret: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes before any parsing. */
  readonly body: Buffer;
  readonly nowSeconds: number;
}

/** One way in which a signature deviates from the rule. */
export type SignatureCause = keyof typeof CAUSES;

/** What each cause means, to follow the words "The signature was made ". */
export const CAUSES = {
  secret_decoded: 'with the decoded base64 part of the secret as the key; the key is the whole text, whsec_ included',
  secret_without_prefix: 'with the secret without its whsec_; the key is the whole text',
  secret_lacks_prefix: 'with a secret that begins with whsec_, and the one given does not',
  secret_with_whitespace: 'with the secret without the white space around the one given',
  timestamp_left_out: 'over the body alone; the timestamp and a full stop come before it',
  full_stop_left_out: 'over the timestamp and the body without the full stop between',
  standard_webhooks_text: 'over id.timestamp.body, as webhook-signature is; this header has no id before the timestamp',
  newline_removed: 'over a body without the line end that the given one has',
  newline_added: 'over a body with a line end that the given one does not have',
  line_ends_changed: 'over a body with other line ends (CRLF and LF)',
  byte_order_mark: 'over a body that differs in a byte order mark at its beginning',
  body_compacted: 'over the same JSON without white space: one of the two bodies was parsed and written again',
  body_written_again:
    'over the same JSON as JSON.parse and JSON.stringify give it: sign and verify the raw bytes, before any parsing',
  body_indented: 'over the same JSON with indentation: one of the two bodies was parsed and written again',
  body_spaced: 'over the same JSON with a space after each comma and colon, as Python writes it',
  body_escaped: 'over the same JSON with \\u escapes, as Python and PHP write it',
  body_other_charset: 'over a body that was read or written as ISO-8859-1 instead of UTF-8',
} as const;

/** Which part of a delivery deviates from the rule, or that none does. */
export type SignatureVerdict =
  | { readonly status: 'valid'; readonly header: SignatureHeader; readonly ageSeconds: number }
  | { readonly status: 'timestamp_missing' }
  | { readonly status: 'timestamp_ill_formed'; readonly timestamp: string }
  /** The rest is right. A positive age is the past. */
  | { readonly status: 'timestamp_outside_tolerance'; readonly ageSeconds: number; readonly toleranceSeconds: number }
  | { readonly status: 'signature_missing' }
  | { readonly status: 'signature_ill_formed'; readonly signature: string }
  /** `causes` explains the difference completely; empty when no usual mistake does: another secret, or another body. */
  | {
      readonly status: 'signature_differs';
      readonly expected: string;
      readonly received: string;
      readonly causes: readonly SignatureCause[];
    };

export type SignatureHeader = 'X-Service-Signature' | 'X-Service-Signature-Next';

/**
 * Verifies a delivery and says which part is wrong. The form of the headers is checked first, then the signature, then the time, so that
 * an old delivery still gets the verdict on its signature.
 *
 * @see docs/spec/interface.md#events, consumer rules 1 to 3.
 */
export function explainSignature(delivery: ReceivedDelivery): SignatureVerdict {
  const header = headerReader(delivery.headers);
  const timestamp = header('X-Service-Timestamp');
  if (timestamp === undefined) return { status: 'timestamp_missing' };
  if (!/^\d{1,15}$/.test(timestamp)) return { status: 'timestamp_ill_formed', timestamp };
  const received = header('X-Service-Signature');
  if (received === undefined) return { status: 'signature_missing' };
  if (!isSignature(received)) return { status: 'signature_ill_formed', signature: received };

  const expected = hmac(delivery.secret, `${timestamp}.`, delivery.body).digest();
  const signedBy = findHeader(header, expected);
  if (signedBy === undefined) {
    const causes = findCauses({ ...delivery, timestamp, eventId: header('webhook-id') ?? '' }, bytesOf(received));
    return { status: 'signature_differs', expected: `v1=${expected.toString('hex')}`, received, causes };
  }
  const ageSeconds = delivery.nowSeconds - Number(timestamp);
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
    return { status: 'timestamp_outside_tolerance', ageSeconds, toleranceSeconds: TOLERANCE_SECONDS };
  }
  return { status: 'valid', header: signedBy, ageSeconds };
}

/** The header's exact value: an empty one counts as missing. */
function headerReader(headers: ReceivedDelivery['headers']): (name: string) => string | undefined {
  const byLowerCaseName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => byLowerCaseName.get(name.toLowerCase()) || undefined;
}

function isSignature(text: string): boolean {
  return /^v1=[0-9a-f]{64}$/.test(text);
}

function bytesOf(signature: string): Buffer {
  return Buffer.from(signature.slice('v1='.length), 'hex');
}

/** While a secret rotates, a receiver with the next secret finds its signature in the second header. */
function findHeader(header: (name: string) => string | undefined, expected: Buffer): SignatureHeader | undefined {
  return (['X-Service-Signature', 'X-Service-Signature-Next'] as const).find((name) => {
    const signature = header(name);
    return signature !== undefined && isSignature(signature) && timingSafeEqual(bytesOf(signature), expected);
  });
}

/** A variant of one of the three inputs, and the cause that it stands for; the rule itself has none. */
type Variant<Ingredient> = readonly [cause: SignatureCause | undefined, ingredient: Ingredient];

interface Signed {
  readonly secret: string;
  readonly timestamp: string;
  readonly eventId: string;
  readonly body: Buffer;
}

/** Tries the usual mistakes, alone and together, and returns the smallest set that gives this signature. */
function findCauses(signed: Signed, received: Buffer): SignatureCause[] {
  const bodies = listBodies(signed.body);
  const found: SignatureCause[][] = [];
  for (const [keyCause, key] of listKeys(signed.secret))
    for (const [prefixCause, prefix] of listPrefixes(signed))
      for (const [bodyCause, body] of bodies)
        if (hmac(key, prefix, body).digest().equals(received))
          found.push([keyCause, prefixCause, bodyCause].filter((cause) => cause !== undefined));
  return found.sort((one, other) => one.length - other.length)[0] ?? [];
}

function listKeys(secret: string): Variant<string | Buffer>[] {
  return [
    [undefined, secret],
    ['secret_with_whitespace', secret.trim()],
    ['secret_decoded', decodeSecret(secret)],
    ['secret_without_prefix', secret.replace(/^whsec_/, '')],
    ['secret_lacks_prefix', `whsec_${secret}`],
  ];
}

function listPrefixes({ timestamp, eventId }: Signed): Variant<string>[] {
  return [
    [undefined, `${timestamp}.`],
    ['timestamp_left_out', ''],
    ['full_stop_left_out', timestamp],
    ['standard_webhooks_text', `${eventId}.${timestamp}.`],
  ];
}

function listBodies(body: Buffer): Variant<Buffer>[] {
  const text = body.toString('utf8');
  const rewritten: Variant<string>[] = [
    ['newline_removed', text.replace(/\r?\n$/, '')],
    ['newline_added', `${text}\n`],
    ['newline_added', `${text}\r\n`],
    ['line_ends_changed', text.replace(/\r\n/g, '\n')],
    ['line_ends_changed', text.replace(/\r?\n/g, '\r\n')],
    ['byte_order_mark', text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : BYTE_ORDER_MARK + text],
    ...listJson(text),
  ];
  return [
    [undefined, body],
    ...rewritten.map(([cause, variant]) => [cause, Buffer.from(variant)] as const),
    ['body_other_charset', Buffer.from(body.toString('latin1'))],
    ['body_other_charset', Buffer.from(text, 'latin1')],
  ];
}

const BYTE_ORDER_MARK = '\u{FEFF}';

/**
 * The JSON in the forms that other programs write. Numbers keep their digits, except when JSON.parse itself is the mistake: it rounds them.
 */
function listJson(text: string): Variant<string>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const compact = rewriteTokens(text, (token) => token);
  const spaced = rewriteTokens(text, (token) => (token === ',' || token === ':' ? `${token} ` : token));
  return [
    ['body_compacted', compact],
    ['body_written_again', JSON.stringify(value)],
    ['body_indented', JSON.stringify(value, null, 2)],
    ['body_indented', JSON.stringify(value, null, 4)],
    ['body_spaced', spaced],
    ['body_escaped', escapeAll(spaced)],
    ['body_escaped', escapeAll(compact)],
    ['body_escaped', escapeAll(compact).replaceAll('/', '\\/')],
  ];
}

/** Removes white space outside strings and unnecessary escapes in them. */
function rewriteTokens(json: string, rewrite: (token: string) => string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\s+|[,:]|[^\s",:]+/g, (token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    return /^\s/.test(token) ? '' : rewrite(token);
  });
}

function escapeAll(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
