import { type Environment, newApiKey } from '../../domain/access/api-key.ts';
import type { Actor } from '../../domain/access/role.ts';
import { recordNotFound, ServiceError } from '../../domain/service-error.ts';
import {
  type ApiKey,
  insertApiKey,
  lockApiKey,
  type Permission,
  updateApiKeyExpiry,
  updateApiKeyRevoked,
} from '../../store/access/api-key.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { audit } from '../audit/audit.ts';
import { API_KEY } from '../audit/audited-kinds.ts';
import { apiKeyRecord } from '../audit/authorising-records.ts';
import { requireAudited } from '../audit/require-audited.ts';
import { requireName } from '../require-line.ts';
import { withRole } from '../with-role.ts';
import { getPartner } from './manage-partner.ts';

/** The overlap of a rotation, unless stated otherwise: the old key still works. */
const ROTATION_OVERLAP_SECONDS = 24 * 60 * 60;

export interface ApiKeyOptions {
  readonly name: string;
  readonly permission: Permission;
  /** Addresses and CIDR blocks; empty allows every address. */
  readonly allowedAddresses: readonly string[];
  readonly expiresAt: Date | null;
}

/** The whole key is known only here: the database stores its hash. */
export interface IssuedApiKey {
  readonly key: ApiKey;
  readonly apiKey: string;
}

export interface WantedApiKey extends ApiKeyOptions {
  readonly environment: Environment;
  readonly partnerId: string;
}

/** @throws ServiceError `forbidden`; `invalid_request` for an unknown partner. */
export const issueApiKey = withRole(
  'operator',
  async (database: Database, actor: Actor, wanted: WantedApiKey): Promise<IssuedApiKey> => {
    requireName(wanted.name);
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      await getPartner(db, wanted.partnerId);
      const issued = await insertNew(db, wanted);
      await audit(db, actor, about(issued.key, { action: 'key.issue', before: null, after: apiKeyRecord(issued.key) }));
      return issued;
    });
  },
);

async function insertNew(db: Queryable, { environment, partnerId, ...policy }: WantedApiKey): Promise<IssuedApiKey> {
  const { apiKey, keyId, secretSha256 } = newApiKey(environment);
  return { key: await insertApiKey(db, { ...policy, keyId, partnerId, secretSha256 }), apiKey };
}

export interface Rotation {
  readonly environment: Environment;
  readonly keyId: string;
  readonly overlapSeconds?: number;
  /** End of the new key, `null` for none; by default that of the old one. */
  readonly expiresAt?: Date | null | undefined;
}

/**
 * A new key with the options of the old one, including its end. The old key ends after the overlap.
 *
 * @throws ServiceError `forbidden`; `invalid_request` for an unknown or revoked key, and for one that ends within the overlap unless the
 * new key is given an end, or none.
 */
export const rotateApiKey = withRole(
  'operator',
  async (
    database: Database,
    actor: Actor,
    { environment, keyId, overlapSeconds = ROTATION_OVERLAP_SECONDS, expiresAt }: Rotation,
  ): Promise<{ issued: IssuedApiKey; old: ApiKey }> => {
    return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
      const found = await lockApiKey(db, keyId);
      if (!found) throw unknownKey(keyId);
      await requireAudited(db, API_KEY, found);
      if (found.revokedAt)
        throw new ServiceError('invalid_request', `The key ${keyId} is revoked; issue a new one with \`key issue\`.`);
      const old = (await updateApiKeyExpiry(db, keyId, overlapSeconds)) as ApiKey;
      if (expiresAt === undefined) refuseShortEnd(found, old);
      const policy = { ...found, expiresAt: expiresAt === undefined ? found.expiresAt : expiresAt };
      const issued = await insertNew(db, { ...policy, environment });
      await audit(db, actor, about(found, { action: 'key.rotate', before: apiKeyRecord(found), after: apiKeyRecord(old) }));
      const replaced = { replaces: keyId };
      await audit(db, actor, about(issued.key, { action: 'key.issue', before: replaced, after: apiKeyRecord(issued.key) }));
      return { issued, old };
    });
  },
);

/** The old key ends within the overlap by its own end or by an earlier rotation, so the new key needs an end of its own. */
function refuseShortEnd({ keyId, expiresAt }: ApiKey, shortened: ApiKey): void {
  if (expiresAt === null || Number(shortened.expiresAt) < expiresAt.getTime()) return;
  throw new ServiceError(
    'invalid_request',
    `The key ${keyId} expires at ${expiresAt.toISOString()}, within the overlap, and the new key would expire with it. Issue another key, or on the command line give the new one an expiry with --expires-at TIME, or none with --without-end. Nothing was changed.`,
  );
}

/** Takes effect on every instance within ten seconds. */
export const revokeApiKey = withRole('operator', async (database: Database, actor: Actor, keyId: string): Promise<ApiKey> => {
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const found = await lockApiKey(db, keyId);
    if (!found) throw unknownKey(keyId);
    await requireAudited(db, API_KEY, found);
    const revoked = (await updateApiKeyRevoked(db, keyId)) as ApiKey;
    await audit(db, actor, about(found, { action: 'key.revoke', before: apiKeyRecord(found), after: apiKeyRecord(revoked) }));
    return revoked;
  });
});

function about({ partnerId, keyId }: ApiKey, entry: { action: string; before: object | null; after: object | null }) {
  return { ...entry, partnerId, subjectId: keyId };
}

function unknownKey(keyId: string): ServiceError {
  return recordNotFound('key_id', `There is no key ${keyId}. \`key list --partner ID\` shows a partner's keys.`);
}
