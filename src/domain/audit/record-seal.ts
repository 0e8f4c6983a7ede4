import { createHmac, hash } from 'node:crypto';
import type { NamedKey } from './named-key.ts';

/**
 * What a seal is computed from by whoever writes the row: the database adds the times that it gives, and hashes once more.
 *
 * The seal is `SHA-256(mac / times)`, and `mac` is `SHA-256(key ‖ text)`, the key filling one block of the hash. So the time of a row is
 * sealed without being known before, and a row shows nothing from which another seal could be made.
 */
export interface SealPart {
  readonly keyId: string;
  /** 64 hexadecimal digits; secret, because with it the same text can be sealed at another time. Never stored. */
  readonly mac: string;
}

/** What stands in a row; both `null` in one that was written before rows were sealed. */
export interface RecordSeal {
  readonly seal: Buffer | null;
  readonly sealKey: string | null;
}

export type SealVerdict = 'sealed' | 'changed' | 'unsealed' | 'unknown_key';

export interface RecordSeals {
  /** Under the newest key. */
  begin(text: string): SealPart;
  /** Whether text and times are those that were sealed. */
  check(text: string, times: readonly (Date | null)[], sealed: RecordSeal): SealVerdict;
}

/**
 * Seals of one kind of record. Keys can change: the newest seals, and each that is given is known again.
 *
 * @param kind Has keys of its own, so that a seal of one kind is none of another.
 * @param listKeys The newest first. Asked for each time; what follows from a key is computed once.
 */
export function openRecordSeals(kind: string, listKeys: () => readonly NamedKey[]): RecordSeals {
  const derived = new WeakMap<NamedKey, string>();
  const keyOf = (key: NamedKey): string => {
    let text = derived.get(key);
    if (text === undefined) {
      text = createHmac('sha256', key.bytes).update(`seals of ${kind}`).digest('hex');
      derived.set(key, text);
    }
    return text;
  };
  return {
    begin(text) {
      const [newest] = listKeys();
      if (!newest) throw new Error('Records need at least one key to be sealed with.');
      return { keyId: newest.id, mac: hash('sha256', keyOf(newest) + text, 'hex') };
    },
    check(text, times, { seal, sealKey }) {
      if (seal === null || sealKey === null) return 'unsealed';
      const key = listKeys().find(({ id }) => id === sealKey);
      if (!key) return 'unknown_key';
      const mac = hash('sha256', keyOf(key) + text, 'hex');
      return finishSeal(mac, times).equals(seal) ? 'sealed' : 'changed';
    },
  };
}

/** What the database computes: times in milliseconds since 1970, an absent one as nothing. */
export function finishSeal(mac: string, times: readonly (Date | null)[]): Buffer {
  return hash('sha256', [mac, ...times.map((time) => (time === null ? '' : String(time.getTime())))].join('/'), 'buffer');
}
