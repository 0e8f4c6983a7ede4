import { type Credential, findHeldApiKeys, type HeldApiKey } from '../../store/access/api-key.ts';
import type { Database } from '../../store/database.ts';
import { API_KEY, type AuditedKind, PARTNER } from '../audit/audited-kinds.ts';
import { type AuditDifference, compareWithEntry } from '../audit/compare-with-audit.ts';
import { unverifiedRecord } from '../audit/require-audited.ts';

export interface CredentialTools extends Pick<Database, 'pool' | 'auditKeys'> {
  /** Called for a key or a partner that differs from the audit. */
  readonly onUnverified: (error: Error) => void;
}

/**
 * Reads keys with their partners and compares both with their last sealed entries, in one round trip.
 *
 * @returns The keys in the database that have an audit entry, in any order.
 */
export async function verifyCredentials(tools: CredentialTools, keyIds: readonly string[]): Promise<Credential[]> {
  return (await findHeldApiKeys(tools.pool, keyIds)).flatMap((held) => verify(tools, held) ?? []);
}

function verify(tools: CredentialTools, held: HeldApiKey): Credential | undefined {
  const { keyEntry, partnerEntry } = held;
  const ofKey = compare(tools, API_KEY, { row: held.key, entry: keyEntry });
  if (ofKey && !keyEntry) return undefined;
  const ofPartner = compare(tools, PARTNER, { row: held.partner, entry: partnerEntry });
  return toCredential(held, ofKey ? 'key' : ofPartner ? 'partner' : null);
}

function compare<Row>(
  { auditKeys, onUnverified }: CredentialTools,
  kind: AuditedKind<Row>,
  { row, entry }: { readonly row: Row; readonly entry: HeldApiKey['keyEntry'] },
): AuditDifference | undefined {
  const difference = compareWithEntry(kind.idOf(row), kind.recordOf(row), { entry, keys: auditKeys() });
  if (difference) onUnverified(unverifiedRecord(kind, difference));
  return difference;
}

/** Only the fields that decide about requests are remembered. */
function toCredential({ key, partner, isValid, expiresInMs }: HeldApiKey, unverified: Credential['unverified']): Credential {
  return {
    keyId: key.keyId,
    partnerId: key.partnerId,
    secretSha256: key.secretSha256,
    permission: key.permission,
    allowedAddresses: key.allowedAddresses,
    isValid,
    expiresInMs,
    isSuspended: unverified !== null || partner.suspendedAt !== null,
    unverified,
    writesPerSecond: partner.writesPerSecond,
    lookupsPerSecond: partner.lookupsPerSecond,
    reportsPerSecond: partner.reportsPerSecond,
    currency: partner.currency,
    timeZone: partner.timeZone,
  };
}
