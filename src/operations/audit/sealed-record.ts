import { isSealedWith, type SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { NamedKey } from '../../domain/audit/named-key.ts';

/** A record by its audit entries: the last one, when each of its entries matches its seal. */
export interface SealedRecord {
  /** `undefined` without an entry, or when an entry does not match its seal. */
  readonly last: SealedEntry | undefined;
  /** Why nothing is known; `undefined` when the entry is valid. */
  readonly doubt: string | undefined;
}

/**
 * The last entry decides. After an admin attested the record, earlier entries do not count.
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
