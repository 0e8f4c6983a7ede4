import type { PartnerRates } from '../../domain/access/partner-rates.ts';
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import { type AuditEntryJson, lastAuditEntry, readAuditEntry } from '../audit/audit-entry.ts';
import { NOW } from '../bulk-rows.ts';
import type { Queryable } from '../database.ts';
import { type ListById, type PageOfIds, run, runListById, type Statement } from '../query.ts';
import type { Partner } from './partner.ts';

/** `manage` is `read_write` that may also change the partner's own endpoints. */
export type Permission = 'read_write' | 'read_only' | 'manage';

export interface ApiKey {
  readonly keyId: string;
  readonly partnerId: string;
  readonly name: string;
  readonly permission: Permission;
  /** Addresses and CIDR blocks; empty allows every address. */
  readonly allowedAddresses: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly secretSha256: Buffer;
}

/** The data that decide about a request: the key, its secret's hash, and its partner as of the same moment. */
export interface Credential extends PartnerRates, Pick<Partner, 'currency' | 'timeZone'> {
  readonly keyId: string;
  readonly partnerId: string;
  readonly secretSha256: Buffer;
  readonly permission: Permission;
  readonly allowedAddresses: readonly string[];
  /** Neither revoked nor expired, by the database's clock. */
  readonly isValid: boolean;
  /** Milliseconds until the key ends; `null` for a key without an end. */
  readonly expiresInMs: number | null;
  /** Nothing new is recorded: the partner is suspended, or unverified. */
  readonly isSuspended: boolean;
  /** Which of the two differs from the audit. */
  readonly unverified: 'key' | 'partner' | null;
}

/** A key and its partner in the database, each with its last audit entry. */
export interface HeldApiKey extends Pick<Credential, 'isValid' | 'expiresInMs'> {
  readonly key: ApiKey;
  readonly keyEntry: SealedEntry | undefined;
  readonly partner: Partner;
  readonly partnerEntry: SealedEntry | undefined;
}

const COLUMNS = `key_id as "keyId", partner_id as "partnerId", name, permission, allowed_addresses as "allowedAddresses",
  created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt", last_used_at as "lastUsedAt",
  secret_sha256 as "secretSha256"`;

export interface NewApiKey
  extends Pick<ApiKey, 'keyId' | 'partnerId' | 'name' | 'permission' | 'allowedAddresses' | 'expiresAt' | 'secretSha256'> {}

export async function insertApiKey(db: Queryable, key: NewApiKey): Promise<ApiKey> {
  const text = `insert into api_key (key_id, partner_id, secret_sha256, name, permission, allowed_addresses, expires_at, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, ${NOW}) returning ${COLUMNS}`;
  const values = [key.keyId, key.partnerId, key.secretSha256, key.name, key.permission, key.allowedAddresses, key.expiresAt];
  const [row] = await run<ApiKey>(db, { name: 'insert_api_key', text }, values);
  return row as ApiKey;
}

/** Nobody else changes it until the transaction ends. */
export async function lockApiKey(db: Queryable, keyId: string): Promise<ApiKey | undefined> {
  const text = `select ${COLUMNS} from api_key where key_id = $1 for update`;
  const [row] = await run<ApiKey>(db, { name: 'lock_api_key', text }, [keyId]);
  return row;
}

export async function listApiKeys(db: Queryable, partnerId: string): Promise<ApiKey[]> {
  const text = `select ${COLUMNS} from api_key where partner_id = $1 order by created_at, key_id`;
  return run<ApiKey>(db, { name: 'list_api_keys', text }, [partnerId]);
}

const HAD: Statement = {
  name: 'find_api_key_within',
  text: `select 1 from api_key
    where partner_id = $1 and coalesce(least(revoked_at, expires_at) > now() - make_interval(secs => $2), true) limit 1`,
};

/** Whether a key of the partner is valid, or was within these last seconds. */
export async function hadApiKeyWithin(db: Queryable, partnerId: string, seconds: number): Promise<boolean> {
  return (await run(db, HAD, [partnerId, seconds])).length > 0;
}

/** Revoking twice keeps the first time. */
export async function updateApiKeyRevoked(db: Queryable, keyId: string): Promise<ApiKey | undefined> {
  const text = `update api_key set revoked_at = coalesce(revoked_at, ${NOW}) where key_id = $1 returning ${COLUMNS}`;
  const [row] = await run<ApiKey>(db, { name: 'update_api_key_revoked', text }, [keyId]);
  return row;
}

/** Moves a key's end forward, never back. */
export async function updateApiKeyExpiry(db: Queryable, keyId: string, inSeconds: number): Promise<ApiKey | undefined> {
  const text = `update api_key set expires_at = least(expires_at, ${NOW} + make_interval(secs => $2))
    where key_id = $1 returning ${COLUMNS}`;
  const [row] = await run<ApiKey>(db, { name: 'update_api_key_expiry', text }, [keyId, inSeconds]);
  return row;
}

const LIST_ALL: ListById = { name: 'list_all_api_keys', select: `select ${COLUMNS} from api_key`, id: 'key_id' };

/** Keys of all partners in the order of their ids. */
export async function listAllApiKeys(db: Queryable, page: PageOfIds): Promise<ApiKey[]> {
  return runListById<ApiKey>(db, LIST_ALL, page);
}

/** Each by its index, however few there are when the query is planned. */
const FIND_HELD: Statement = {
  name: 'find_held_api_keys',
  text: `select k.key_id as "keyId", k.partner_id as "partnerId", k.name, k.permission, k.allowed_addresses as "allowedAddresses",
      k.created_at as "createdAt", k.expires_at as "expiresAt", k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt",
      k.secret_sha256 as "secretSha256", k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as "isValid",
      (extract(epoch from k.expires_at - now()) * 1000)::float8 as "expiresInMs", p.name as "partnerName",
      p.writes_per_second as "writesPerSecond", p.lookups_per_second as "lookupsPerSecond",
      p.reports_per_second as "reportsPerSecond", p.currency, p.time_zone as "timeZone", p.created_at as "partnerCreatedAt",
      p.suspended_at as "suspendedAt", ${lastAuditEntry('k.key_id', 'key')} as "keyEntry",
      ${lastAuditEntry('k.partner_id', 'partner')} as "partnerEntry"
    from unnest($1::text[]) as wanted (key_id)
      cross join lateral (select * from api_key where key_id = wanted.key_id limit 1) k
      cross join lateral (select * from partner where partner_id = k.partner_id limit 1) p`,
};

type HeldRow = ApiKey &
  Omit<Partner, 'name' | 'createdAt'> &
  Pick<Credential, 'isValid' | 'expiresInMs'> & {
    readonly partnerName: string;
    readonly partnerCreatedAt: Date;
    readonly keyEntry: AuditEntryJson | null;
    readonly partnerEntry: AuditEntryJson | null;
  };

/** The existing ones, in any order. The wanted ids are distinct. */
export async function findHeldApiKeys(db: Queryable, keyIds: readonly string[]): Promise<HeldApiKey[]> {
  return (await run<HeldRow>(db, FIND_HELD, [keyIds])).map(readHeld);
}

function readHeld({ isValid, expiresInMs, keyEntry, partnerEntry, partnerName, partnerCreatedAt, ...held }: HeldRow): HeldApiKey {
  return {
    isValid,
    expiresInMs,
    key: held,
    keyEntry: readAuditEntry(keyEntry),
    partnerEntry: readAuditEntry(partnerEntry),
    partner: { ...held, name: partnerName, createdAt: partnerCreatedAt },
  };
}

const TOUCH = {
  name: 'update_api_keys_last_used',
  text: `update api_key set last_used_at = date_trunc('minute', now())
    where key_id = any($1::text[]) and last_used_at is distinct from date_trunc('minute', now())`,
};

export async function updateApiKeysLastUsed(db: Queryable, keyIds: readonly string[]): Promise<void> {
  await run(db, TOUCH, [keyIds]);
}
