import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key under which secrets are kept. */
export interface SecretsKey {
  /** Stands beside everything sealed with the key, so that keys can change. */
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

/**
 * Keeps the secrets of endpoints. What is sealed is one line of printable ASCII, `v1.<key id>.<base64url>`, and belongs to its
 * endpoint: copied to another one it opens no more.
 */
export interface SecretBox {
  /** Sealed under the first key; the same secret looks different each time. */
  seal(endpointId: string, secret: string): string;
  /** @throws SecretUnreadableError */
  open(endpointId: string, sealed: string): string;
  /** Whether it is sealed under the first key. What is not should be sealed again before its key is taken away. */
  isCurrent(sealed: string): boolean;
}

/** A sealed secret that does not open. The message is for operators, and holds nothing of key or secret. */
export class SecretUnreadableError extends Error {
  override readonly name = 'SecretUnreadableError';
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = /^[0-9A-Za-z_-]{1,32}$/;
const SEALED = /^v1\.([0-9A-Za-z_-]{1,32})\.([0-9A-Za-z_-]+)$/;
const KEY_FORM = 'id:base64 with 32 bytes behind the base64, several with commas between; `openssl rand -base64 32` makes one';

/**
 * AES-256-GCM with a random nonce of 96 bits: fit for 2^32 secrets under one key.
 *
 * @param keys At least one. The first seals, all open.
 * @see Decisions, section 7, last line.
 */
export function openSecretBox(keys: readonly SecretsKey[]): SecretBox {
  const [first] = keys;
  if (first === undefined) throw new Error('A secret box needs at least one key.');
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    seal: (endpointId, secret) => seal(first, endpointId, secret),
    open(endpointId, sealed) {
      const [, keyId = '', payload = ''] = SEALED.exec(sealed) ?? [];
      if (keyId === '')
        throw new SecretUnreadableError(`The secret of endpoint ${endpointId} is not in the form v1.<key id>.<text>.`);
      const key = byId.get(keyId);
      if (key) return unseal(key, endpointId, Buffer.from(payload, 'base64url'));
      throw new SecretUnreadableError(
        `The secret of endpoint ${endpointId} is sealed under the key "${keyId}", which is not among those given: ${[...byId.keys()].join(', ')}.`,
      );
    },
    isCurrent: (sealed) => SEALED.exec(sealed)?.[1] === first.id,
  };
}

function seal(key: SecretsKey, endpointId: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(key, endpointId));
  const payload = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${key.id}.${payload.toString('base64url')}`;
}

function unseal(key: SecretsKey, endpointId: string, payload: Buffer): string {
  const tagStart = payload.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, key.bytes, payload.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(key, endpointId));
    decipher.setAuthTag(payload.subarray(tagStart));
    return decipher.update(payload.subarray(NONCE_BYTES, tagStart), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SecretUnreadableError(
      `The secret of endpoint ${endpointId} does not open with the key "${key.id}": the key is another one of that name, or the record was altered.`,
      { cause },
    );
  }
}

/** No key id holds a full stop, so that no two pairs give the same text. */
function boundTo(key: SecretsKey, endpointId: string): Buffer {
  return Buffer.from(`v1.${key.id}.${endpointId}`);
}

/**
 * The keys in a text such as `2026:7NQ…=,2025:q0f…=`. White space around the parts does not matter.
 *
 * @param setting What the operator calls the text: the variable, or a file.
 * @throws Error With a sentence for the operator, in which no part of a key occurs.
 */
export function readSecretsKeys(text: string, setting = 'SECRETS_KEY'): SecretsKey[] {
  const keys = text
    .split(',')
    .map((part, index) => readKey(part.trim(), () => `${setting} must be ${KEY_FORM}; part ${index + 1}`));
  const repeated = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index);
  if (repeated) throw new Error(`${setting} names the key "${repeated.id}" twice.`);
  return keys;
}

/** The text form of one key. */
export function writeSecretsKey({ id, bytes }: SecretsKey): string {
  return `${id}:${bytes.toString('base64')}`;
}

/** A new random key under this name. */
export function newSecretsKey(id: string): SecretsKey {
  return { id, bytes: randomBytes(KEY_BYTES) };
}

/** @param opening The first words of a sentence about this part. */
function readKey(part: string, opening: () => string): SecretsKey {
  const [id = '', base64, ...others] = part.split(':');
  // What stands where the id should be may be the key itself, so that nothing is repeated.
  if (base64 === undefined || others.length > 0) throw new Error(`${opening()} is not a name and a key with one colon between.`);
  if (!KEY_ID.test(id)) throw new Error(`${opening()} has a name that is not 1 to 32 letters, digits, _ and -.`);
  const bytes = Buffer.from(base64, 'base64');
  const isBase64 =
    /^[0-9A-Za-z+/]+=*$/.test(base64) && bytes.toString('base64') === base64.padEnd(Math.ceil(base64.length / 4) * 4, '=');
  if (!isBase64) throw new Error(`${opening()} is not written in base64.`);
  if (bytes.length !== KEY_BYTES) throw new Error(`${opening()} has ${bytes.length} bytes.`);
  return { id, bytes };
}
