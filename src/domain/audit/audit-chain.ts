import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../fingerprint.ts';
import type { NamedKey } from './named-key.ts';

/** An audit entry with its place in the chain. */
export interface ChainedEntry {
  /** 1, 2, 3 …, without gaps. */
  readonly entryNo: bigint;
  /** To the millisecond. */
  readonly recordedAt: Date;
  /** `opr_…`, `owner`, `schedule` or `dispatcher`; of a partner the id of its API key. */
  readonly operatorId: string;
  readonly role: string;
  readonly action: string;
  readonly partnerId: string | null;
  readonly subjectId: string;
  /** JSON text, as it is stored. */
  readonly before: string | null;
  readonly after: string | null;
  readonly correlationId: string;
  /** The seal of the entry before; empty for the first. */
  readonly previousMac: string;
}

export interface SealedEntry extends ChainedEntry {
  /** The key that it is sealed with. */
  readonly keyId: string;
  /** HMAC-SHA256, 64 hexadecimal digits. */
  readonly mac: string;
}

/** Seals an entry. Without the key nobody can change the entry or its place. */
export function sealEntry(key: NamedKey, entry: ChainedEntry): SealedEntry {
  return { ...entry, keyId: key.id, mac: macOf(key, entry) };
}

/** Whether the entry and its place are exactly what was sealed with this key. */
export function isSealedWith(key: NamedKey, entry: SealedEntry): boolean {
  const [told, computed] = [Buffer.from(entry.mac), Buffer.from(macOf(key, entry))];
  return told.length === computed.length && timingSafeEqual(told, computed);
}

/** Whether the entry is sealed with the key that it names, which is one of these. */
export function isSealedWithOneOf(keys: readonly NamedKey[], entry: SealedEntry): boolean {
  const key = keys.find(({ id }) => id === entry.keyId);
  return key !== undefined && isSealedWith(key, entry);
}

/** RFC 8785 text of an array: two different entries never have the same text. */
function macOf(key: NamedKey, entry: ChainedEntry): string {
  const text = canonicalJson([
    'partner-impact/audit/1',
    key.id,
    String(entry.entryNo),
    entry.recordedAt.toISOString(),
    entry.operatorId,
    entry.role,
    entry.action,
    entry.partnerId,
    entry.subjectId,
    entry.before,
    entry.after,
    entry.correlationId,
    entry.previousMac,
  ]);
  return createHmac('sha256', keyObjectOf(key)).update(text).digest('hex');
}

/** Node takes longer to create a key from bytes than to sign with it. */
const keyObjects = new WeakMap<NamedKey, KeyObject>();

function keyObjectOf(key: NamedKey): KeyObject {
  const object = keyObjects.get(key) ?? createSecretKey(key.bytes);
  keyObjects.set(key, object);
  return object;
}
