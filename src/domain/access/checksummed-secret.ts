import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A secret that people and programs hand over: a prefix for its purpose, then, without separators, an id of 12 characters, a secret of 43
 * and a checksum of 6, all in base 62. The checksum lets the service refuse a typing error without a query.
 */
export interface CheckedSecret {
  /** The whole of it, to be shown once and never stored or logged. */
  readonly text: string;
  readonly id: string;
  /** SHA-256 of the secret's 43 ASCII characters; the only trace of it that is stored. */
  readonly secretSha256: Buffer;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_BYTES = 32;
/** 62^43 is just above 2^256. */
const SECRET_LENGTH = 43;
/** 62^6 is above 2^32. */
const CHECKSUM_LENGTH = 6;
const BODY = new RegExp(`^([0-9A-Za-z]{${ID_LENGTH}})([0-9A-Za-z]{${SECRET_LENGTH}})[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`);

/** A new secret, uniform over 2^256. */
export function newCheckedSecret(prefix: string): CheckedSecret {
  const id = Array.from({ length: ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  const unchecked = `${prefix}${id}${secret}`;
  return { text: unchecked + checksum(unchecked), id, secretSha256: sha256(secret) };
}

/** The parts of a secret, or `undefined` when prefix, length, alphabet or checksum is wrong. Does not check whether it exists. */
export function parseCheckedSecret(prefix: string, text: string): Omit<CheckedSecret, 'text'> | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const [, id, secret] = BODY.exec(text.slice(prefix.length)) ?? [];
  if (!id || !secret) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return { id, secretSha256: sha256(secret) };
}

/** In its place an unknown secret is compared, so that its refusal takes as long as that of a wrong one. */
const NO_SECRET = Buffer.alloc(32);

/** Whether a secret is the one that is known by its id; `undefined` for none. It takes the same time whatever differs. */
export function isSameSecret(sent: Hashed | undefined, known: Hashed | undefined): boolean {
  const isSame = timingSafeEqual(sent?.secretSha256 ?? NO_SECRET, known?.secretSha256 ?? NO_SECRET);
  return isSame && sent !== undefined && known !== undefined;
}

type Hashed = Pick<CheckedSecret, 'secretSha256'>;

/** Every request has a key, so this computes with numbers instead of `bigint`. */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < CHECKSUM_LENGTH; rest = Math.floor(rest / ALPHABET.length))
    digits = ALPHABET[rest % ALPHABET.length] + digits;
  return digits;
}

/** The most significant digit first, padded with `0` on the left. */
function base62(value: bigint, length: number): string {
  const base = BigInt(ALPHABET.length);
  let digits = '';
  for (let rest = value; rest > 0n; rest /= base) digits = ALPHABET[Number(rest % base)] + digits;
  return digits.padStart(length, '0');
}

function sha256(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
