import { type Environment, newApiKey } from '../domain/api-key.ts';
import { ServiceError } from '../domain/service-error.ts';
import {
  type ApiKey,
  findApiKey,
  insertApiKey,
  type Permission,
  updateApiKeyExpiry,
  updateApiKeyRevoked,
} from '../store/api-key.ts';
import { type Database, inTransaction, type Queryable } from '../store/database.ts';
import { getPartner } from './manage-partner.ts';

/** The old key of a rotation works on for so long, unless said otherwise. */
export const ROTATION_OVERLAP_SECONDS = 24 * 60 * 60;
const LOCK_TIMEOUT_MS = 4_000;

export interface ApiKeyTerms {
  readonly name: string;
  readonly permission: Permission;
  /** Addresses and CIDR blocks; empty allows every address. */
  readonly allowedAddresses: readonly string[];
  readonly expiresAt: Date | null;
}

/** The only moment at which the whole key is known: the database keeps its hash. */
export interface IssuedApiKey {
  readonly key: ApiKey;
  readonly apiKey: string;
}

/** @throws ServiceError `invalid_request` for an unknown partner. */
export async function issueApiKey(
  db: Queryable,
  environment: Environment,
  partnerId: string,
  terms: ApiKeyTerms,
): Promise<IssuedApiKey> {
  await getPartner(db, partnerId);
  const { apiKey, keyId, secretSha256 } = newApiKey(environment);
  const key = await insertApiKey(db, { ...terms, keyId, partnerId, secretSha256 });
  return { key, apiKey };
}

/** A new key on the terms of the old one, which runs out after the overlap. */
export async function rotateApiKey(
  database: Database,
  environment: Environment,
  keyId: string,
  overlapSeconds = ROTATION_OVERLAP_SECONDS,
): Promise<{ issued: IssuedApiKey; old: ApiKey }> {
  return inTransaction(database, { lockTimeoutMs: LOCK_TIMEOUT_MS }, async (db) => {
    const found = await findApiKey(db, keyId);
    if (!found) throw unknownKey(keyId);
    if (found.revokedAt)
      throw new ServiceError('invalid_request', `The key ${keyId} is revoked; issue a new one with \`key issue\`.`);
    const issued = await issueApiKey(db, environment, found.partnerId, { ...found, expiresAt: null });
    const old = (await updateApiKeyExpiry(db, keyId, overlapSeconds)) as ApiKey;
    return { issued, old };
  });
}

/** Takes effect on every instance within ten seconds. */
export async function revokeApiKey(db: Queryable, keyId: string): Promise<ApiKey> {
  const revoked = await updateApiKeyRevoked(db, keyId);
  if (!revoked) throw unknownKey(keyId);
  return revoked;
}

function unknownKey(keyId: string): ServiceError {
  return new ServiceError('invalid_request', `There is no key ${keyId}. \`key list --partner ID\` shows a partner's keys.`);
}
