import { createHmac, hash } from 'node:crypto';
import type { NamedKey } from './named-key.ts';

/**
 * The input of a seal, for the code that writes the row: the database adds the times of the row, and hashes once more. The seal is
 * `SHA-256(mac / times)`, and `mac` is `SHA-256(key ‖ text)`, the key filling one block of the hash. So the times are sealed although
 * only the database knows them, and a row contains nothing from which another seal could be made.
 */
export interface SealPart {
  readonly keyId: string;
  /** 64 hexadecimal digits; secret, because with it the same text can be sealed at another time. Never stored. */
  readonly mac: string;
}

/** The columns of a row; both `null` when it was written before rows were sealed. */
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
 * Seals of one kind of record. Keys can be replaced: the newest key seals, and every configured key verifies.
 *
 * @param kind Each kind has its own keys, so that a seal of one kind is not valid for another.
 * @param listKeys The newest first. Called each time; the values derived from a key are computed once.
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

/** What the database computes: times in milliseconds since 1970, an absent time as an empty text. */
function finishSeal(mac: string, times: readonly (Date | null)[]): Buffer {
  return hash('sha256', [mac, ...times.map((time) => (time === null ? '' : String(time.getTime())))].join('/'), 'buffer');
}
