import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { NamedKey } from '../../domain/audit/named-key.ts';

/**
 * Encrypts the secrets of endpoints, the second factors of operators, and answers that tell a secret. An encrypted secret is one line of
 * printable ASCII, `v1.<key id>.<base64url>`, and is bound to its owner, such as the id of its endpoint: copied to another one it cannot be
 * decrypted.
 */
export interface SecretBox {
  /** Encrypts under the first key; the same secret gives a different text each time. */
  seal(owner: string, secret: string): string;
  /** @throws SecretUnreadableError */
  open(owner: string, sealed: string): string;
  /** Whether the first key has encrypted it. */
  isOfFirstKey(sealed: string): boolean;
}

/** An encrypted secret that cannot be decrypted. The message is for operators, names the owner, and contains nothing of key or secret. */
export class SecretUnreadableError extends Error {
  override readonly name = 'SecretUnreadableError';
  /** Whether its key is not among those given; otherwise there is one of its name. */
  readonly isKeyMissing: boolean;
  /** The log counts those of all owners together. */
  readonly recursAs: string;

  constructor(owner: string, problem: string, { isKeyMissing = false, cause }: { isKeyMissing?: boolean; cause?: unknown } = {}) {
    super(`The secret of ${owner} ${problem}`, { cause });
    this.recursAs = problem;
    this.isKeyMissing = isKeyMissing;
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^v1\.([0-9A-Za-z_-]{1,32})\.([0-9A-Za-z_-]+)$/;

/**
 * AES-256-GCM with a random nonce of 96 bits: fit for 2^32 secrets under one key.
 *
 * @param keys At least one. The first encrypts, all decrypt.
 * @see docs/spec/decisions.md#7-events, last line.
 */
export function openSecretBox(keys: readonly NamedKey[]): SecretBox {
  const [first] = keys;
  if (first === undefined) throw new Error('A secret box needs at least one key.');
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    seal: (owner, secret) => seal(first, owner, secret),
    open(owner, sealed) {
      const [, keyId = '', payload = ''] = SEALED.exec(sealed) ?? [];
      if (keyId === '') throw new SecretUnreadableError(owner, 'is not in the form v1.<key id>.<text>.');
      const key = byId.get(keyId);
      if (key) return unseal(key, owner, Buffer.from(payload, 'base64url'));
      throw new SecretUnreadableError(
        owner,
        `is sealed under the key "${keyId}", which is not among those given: ${[...byId.keys()].join(', ')}.`,
        { isKeyMissing: true },
      );
    },
    isOfFirstKey: (sealed) => SEALED.exec(sealed)?.[1] === first.id,
  };
}

function seal(key: NamedKey, owner: string, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundTo(key, owner));
  const payload = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${key.id}.${payload.toString('base64url')}`;
}

function unseal(key: NamedKey, owner: string, payload: Buffer): string {
  const tagStart = payload.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(CIPHER, key.bytes, payload.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(key, owner));
    decipher.setAuthTag(payload.subarray(tagStart));
    return decipher.update(payload.subarray(NONCE_BYTES, tagStart), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SecretUnreadableError(
      owner,
      `does not open with the key "${key.id}": the key is another one of that name, or the record was altered.`,
      { cause },
    );
  }
}

/** No key id contains a full stop, so that no two pairs give the same text. */
function boundTo(key: NamedKey, owner: string): Buffer {
  return Buffer.from(`v1.${key.id}.${owner}`);
}
