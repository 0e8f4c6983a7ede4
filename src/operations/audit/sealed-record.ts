import { isSealedWith, type SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { NamedKey } from '../../domain/audit/named-key.ts';

/** What the audit says that a record is: the last of its entries, where each of them is as it was sealed. */
export interface SealedRecord {
  /** `undefined` where there is no entry, or one that does not match its seal. */
  readonly last: SealedEntry | undefined;
  /** Why nothing is known; `undefined` where something is. */
  readonly doubt: string | undefined;
}

/**
 * The last entry decides. Where it is an admin's word that the record is right as it stands, what came before it does not matter.
 *
 * @param entries Of one record, in their order.
 */
export function readSealedRecord(entries: readonly SealedEntry[], keys: readonly NamedKey[]): SealedRecord {
  if (entries.length === 0) return { last: undefined, doubt: 'the audit has no entry of it' };
  const attested = entries.findLastIndex(({ action }) => action.endsWith('.attest'));
  for (const entry of entries.slice(Math.max(0, attested))) {
    const doubt = doubtOf(entry, keys);
    if (doubt !== undefined) return { last: undefined, doubt: `its audit entry ${entry.entryNo} ${doubt}` };
  }
  return { last: entries.at(-1), doubt: undefined };
}

function doubtOf(entry: SealedEntry, keys: readonly NamedKey[]): string | undefined {
  const key = keys.find(({ id }) => id === entry.keyId);
  if (!key) return `is sealed with the key ${JSON.stringify(entry.keyId)}, which is not in AUDIT_KEY: add it`;
  return isSealedWith(key, entry) ? undefined : 'does not match its seal';
}
