import { newCheckedSecret, parseCheckedSecret } from './checksummed-secret.ts';

/**
 * An API key is `pi_sandbox_` or `pi_live_`, then, without separators, a key id of 12 characters, a secret of 43 and a
 * checksum of 6, all in base 62. The checksum lets a typing error be refused before any database is asked.
 */

/** @see docs/spec/interface.md#what-the-service-does, 8: two separate environments. */
export const ENVIRONMENTS = ['sandbox', 'production'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

export interface ParsedApiKey {
  environment: Environment;
  keyId: string;
  /** SHA-256 of the secret's 43 ASCII characters; the only trace of it that is stored. */
  secretSha256: Buffer;
}

export interface GeneratedApiKey {
  /** The whole key, to be shown once and never stored or logged. @see docs/spec/interface.md#authentication, 3. */
  apiKey: string;
  keyId: string;
  secretSha256: Buffer;
}

const PREFIXES = { sandbox: 'pi_sandbox_', production: 'pi_live_' } as const satisfies Record<Environment, string>;

/** A new key with a secret uniform over 2^256. */
export function newApiKey(environment: Environment): GeneratedApiKey {
  const { text, id, secretSha256 } = newCheckedSecret(PREFIXES[environment]);
  return { apiKey: text, keyId: id, secretSha256 };
}

/** The parts of a key, or `undefined` when prefix, length, alphabet or checksum is wrong. Does not check whether the key exists. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const environment = environmentOfKey(text);
  const parsed = environment && parseCheckedSecret(PREFIXES[environment], text);
  return parsed && { environment, keyId: parsed.id, secretSha256: parsed.secretSha256 };
}

/** The environment in a key's prefix, whatever follows it, so that a refusal can name a key of the other environment. */
export function environmentOfKey(text: string): Environment | undefined {
  return ENVIRONMENTS.find((environment) => text.startsWith(PREFIXES[environment]));
}
