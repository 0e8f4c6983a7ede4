import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key is `pi_sandbox_` or `pi_live_`, then, without separators, a key id of 12 characters, a secret of 43 and a
 * checksum of 6, all in base 62. The checksum lets a typing error be refused before any database is asked.
 */

/** @see Interface, "What the service does", 8: two separate environments. */
export const ENVIRONMENTS = ['sandbox', 'production'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

export interface ParsedApiKey {
  environment: Environment;
  keyId: string;
  /** SHA-256 of the secret's 43 ASCII characters; the only trace of it that is stored. */
  secretSha256: Buffer;
}

export interface NewApiKey {
  /** The whole key, to be shown once and never stored or logged. @see Interface, "Authentication", 3. */
  apiKey: string;
  keyId: string;
  secretSha256: Buffer;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIXES = { sandbox: 'pi_sandbox_', production: 'pi_live_' } as const satisfies Record<Environment, string>;
const KEY_ID_LENGTH = 12;
const SECRET_BYTES = 32;
/** 62^43 is just above 2^256. */
const SECRET_LENGTH = 43;
/** 62^6 is above 2^32. */
const CHECKSUM_LENGTH = 6;
const BODY = new RegExp(`^([0-9A-Za-z]{${KEY_ID_LENGTH}})([0-9A-Za-z]{${SECRET_LENGTH}})[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`);

/** A new key with a secret uniform over 2^256. */
export function newApiKey(environment: Environment): NewApiKey {
  const keyId = Array.from({ length: KEY_ID_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  const unchecked = `${PREFIXES[environment]}${keyId}${secret}`;
  return { apiKey: unchecked + checksum(unchecked), keyId, secretSha256: sha256(secret) };
}

/** The parts of a key, or `undefined` when prefix, length, alphabet or checksum is wrong. Whether the key exists is another question. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const environment = environmentOfKey(text);
  if (!environment) return undefined;
  const [, keyId, secret] = BODY.exec(text.slice(PREFIXES[environment].length)) ?? [];
  if (!keyId || !secret) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return { environment, keyId, secretSha256: sha256(secret) };
}

/** The environment that a key's prefix shows, whatever follows it, so that a refusal can name a key of the other environment. */
export function environmentOfKey(text: string): Environment | undefined {
  return ENVIRONMENTS.find((environment) => text.startsWith(PREFIXES[environment]));
}

/** Every request brings a key, so this counts in whole numbers that need no `bigint`. */
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
