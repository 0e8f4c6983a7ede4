import { isSealedWith, type SealedEntry } from '../domain/audit-chain.ts';
import type { NamedKey } from '../domain/named-key.ts';

/** What the audit says that a record is: the last of its entries, where each of them is as it was sealed. */
export interface SealedRecord {
  /** `undefined` where there is no entry, or one that is not as it was sealed. */
  readonly last: SealedEntry | undefined;
  /** Why nothing is known; `undefined` where something is. */
  readonly doubt: string | undefined;
}

/** @param entries Of one record, in their order. */
export function readSealedRecord(entries: readonly SealedEntry[], keys: readonly NamedKey[]): SealedRecord {
  if (entries.length === 0) return { last: undefined, doubt: 'the audit has no entry of it' };
  for (const entry of entries) {
    const key = keys.find(({ id }) => id === entry.keyId);
    if (!key)
      return {
        last: undefined,
        doubt: `its audit entry ${entry.entryNo} is sealed with the key "${entry.keyId}", which is not among those given`,
      };
    if (!isSealedWith(key, entry)) return { last: undefined, doubt: `its audit entry ${entry.entryNo} is not as it was sealed` };
  }
  return { last: entries.at(-1), doubt: undefined };
}
