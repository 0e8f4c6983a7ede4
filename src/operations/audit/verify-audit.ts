import { setImmediate as nextTurn } from 'node:timers/promises';
import { isSealedWithOneOf, type SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { NamedKey } from '../../domain/audit/named-key.ts';
import { listAuditEntriesAfter } from '../../store/audit/audit-entry.ts';
import { type AuditHead, findAuditHead } from '../../store/audit/audit-head.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { eachPage } from '../../store/each-page.ts';

/** The problem of the first entry that does not match its seal. */
export type AuditFault =
  | 'edited'
  | 'inserted'
  | 'reordered'
  | 'removed'
  | 'replaced'
  | 'truncated'
  | 'unknown_key'
  | 'head_changed'
  | 'head_removed'
  | 'not_expected';

export interface AuditVerdict {
  /** How many entries match their seals, from the first on. */
  readonly entries: bigint;
  /** The last of them; number 0 when there is none. */
  readonly last: AuditHead;
  /** `null` when the whole chain is intact. */
  readonly fault: { readonly entryNo: bigint; readonly is: AuditFault; readonly sentence: string } | null;
}

export type AuditedDatabase = Pick<Database, 'auditKeys'> & { readonly pool: Queryable };

export interface AuditVerification {
  /** An entry that was recorded elsewhere: it must still exist, with its seal. */
  readonly expected?: AuditHead | undefined;
  readonly onProgress?: (entries: bigint) => void;
  /** Awaited after every thousand seals at most; by default a turn of the event loop. */
  readonly pause?: () => Promise<void>;
}

const ENTRIES_AT_ONCE = 1_000;
/** How far from its place the original place of an entry is looked for. */
const NEAR = 10_000n;
const START: AuditHead = { lastNo: 0n, lastMac: '' };

/**
 * Verifies the chain from its first entry to its end, a thousand entries at a time, and stops at the first fault. Entries may be appended
 * meanwhile.
 */
export async function verifyAudit(
  database: AuditedDatabase,
  { expected, onProgress, pause = nextTurn }: AuditVerification = {},
): Promise<AuditVerdict> {
  const chain: Chain = { pool: database.pool, keys: database.auditKeys(), expected, pause };
  let last = START;
  for (;;) {
    const page = await listAuditEntriesAfter(chain.pool, last.lastNo, ENTRIES_AT_ONCE);
    const found = await examinePage(chain, page, last);
    last = found.last;
    if (found.fault) return { entries: last.lastNo, ...found };
    if (page.length > 0) onProgress?.(last.lastNo);
    await pause();
    const fault = page.length < ENTRIES_AT_ONCE ? await checkEnd(chain, last) : 'more';
    if (fault !== 'more') return { entries: last.lastNo, last, fault };
  }
}

interface Chain extends Pick<AuditVerification, 'expected'>, Required<Pick<AuditVerification, 'pause'>> {
  readonly pool: Queryable;
  readonly keys: readonly NamedKey[];
}

/** Verifies one page of the chain, up to the first fault. */
async function examinePage(
  chain: Chain,
  page: readonly SealedEntry[],
  previous: AuditHead,
): Promise<Pick<AuditVerdict, 'last' | 'fault'>> {
  let last = previous;
  for (const entry of page) {
    const fault = await examine(chain, { entry, last });
    if (fault) return { last, fault };
    last = { lastNo: entry.entryNo, lastMac: entry.mac };
    if (isUnexpected(chain.expected, last)) return { last, fault: unexpected(last.lastNo) };
  }
  return { last, fault: null };
}

/** The fault at the end of the chain; `more` when entries were appended meanwhile. */
async function checkEnd({ pool, expected }: Chain, last: AuditHead): Promise<AuditVerdict['fault'] | 'more'> {
  const head = await findAuditHead(pool);
  if (!head) return checkWithoutHead(expected, last);
  // An appended entry was committed together with the head, so the next page contains it.
  if (head.lastNo > last.lastNo && (await listAuditEntriesAfter(pool, last.lastNo, 1)).length > 0) return 'more';
  return checkHead(head, last) ?? checkExpected(expected, last);
}

function isUnexpected(expected: AuditHead | undefined, { lastNo, lastMac }: AuditHead): boolean {
  return expected?.lastNo === lastNo && expected.lastMac !== lastMac;
}

function unexpected(entryNo: bigint): AuditVerdict['fault'] {
  const sentence = `entry ${entryNo} has another seal than expected: the audit was rewritten with its key, or it is the audit of another installation`;
  return { entryNo, is: 'not_expected', sentence };
}

function checkHead(head: AuditHead, last: AuditHead): AuditVerdict['fault'] {
  const entryNo = last.lastNo + 1n;
  if (head.lastNo > last.lastNo) {
    const which = head.lastNo === entryNo ? `entry ${entryNo} was` : `entries ${entryNo} to ${head.lastNo} were`;
    return { entryNo, is: 'truncated', sentence: `${which} removed from the end` };
  }
  if (head.lastNo === last.lastNo && head.lastMac === last.lastMac) return null;
  const sentence = `the row of audit_head names entry ${head.lastNo} as the last, which does not match entry ${last.lastNo}: the row was changed`;
  return { entryNo: last.lastNo, is: 'head_changed', sentence };
}

function checkExpected(
  expected: AuditHead | undefined,
  last: AuditHead,
  head = 'and audit_head set back',
): AuditVerdict['fault'] {
  if (!expected || expected.lastNo <= last.lastNo) return null;
  const entryNo = last.lastNo + 1n;
  const sentence = `the audit ends with entry ${last.lastNo}, but entry ${expected.lastNo} existed: the last entries were removed, ${head}`;
  return { entryNo, is: 'truncated', sentence };
}

function checkWithoutHead(expected: AuditHead | undefined, last: AuditHead): AuditVerdict['fault'] {
  const cutOff = checkExpected(expected, last, 'and the row of audit_head with it');
  if (cutOff) return cutOff;
  const sentence = `the row of audit_head was removed, so no audited change is possible. Only a backup or --expect-last shows whether entries after entry ${last.lastNo} existed; "The audit" in docs/operating.md says how to insert the row again`;
  return { entryNo: last.lastNo, is: 'head_removed', sentence };
}

interface Place {
  readonly entry: SealedEntry;
  /** The one before it. */
  readonly last: AuditHead;
}

async function examine(chain: Chain, { entry, last }: Place): Promise<AuditVerdict['fault']> {
  const { keys } = chain;
  const { entryNo } = entry;
  const due = last.lastNo + 1n;
  if (entryNo !== due) {
    const which = entryNo === due + 1n ? `entry ${due} was` : `entries ${due} to ${entryNo - 1n} were`;
    return { entryNo: due, is: 'removed', sentence: `${which} removed` };
  }
  if (!keys.some(({ id }) => id === entry.keyId)) return explainUnknownKey(entry, keys);
  if (!isSealedWithOneOf(keys, entry)) return explainBroken(chain, { entry, last });
  if (entry.previousMac === last.lastMac) return null;
  const sentence = `entry ${entryNo} is sealed, but follows another entry than ${last.lastNo}: one of the two comes from another copy of this database`;
  return { entryNo, is: 'replaced', sentence };
}

function explainUnknownKey({ entryNo, keyId }: SealedEntry, keys: readonly NamedKey[]): AuditVerdict['fault'] {
  const given = keys.map(({ id }) => id).join(', ');
  const sentence = `entry ${entryNo} is sealed with the key ${JSON.stringify(keyId)}, which is not in AUDIT_KEY (${given}): add it after the other keys. If there was never such a key, the entry was edited`;
  return { entryNo, is: 'unknown_key', sentence };
}

/** The number is sealed too, so that the original place of a moved entry is known. */
async function explainBroken(chain: Chain, { entry, last }: Place): Promise<AuditVerdict['fault']> {
  const { pool, keys } = chain;
  const { entryNo } = entry;
  const place = await findPlace(chain, entry);
  if (place === undefined) {
    const [next] = await listAuditEntriesAfter(pool, entryNo, 1);
    const isInserted = next?.previousMac === last.lastMac && isSealedWithOneOf(keys, { ...next, entryNo });
    const sentence = isInserted
      ? `entry ${entryNo} was not written by this service: it was inserted, and later entries got new numbers`
      : `entry ${entryNo} does not match its seal: it was edited, or not written by this service`;
    return { entryNo, is: isInserted ? 'inserted' : 'edited', sentence };
  }
  if (place < entryNo)
    return { entryNo, is: 'inserted', sentence: `entry ${entryNo} was inserted: it is a copy of entry ${place}` };
  if (await isBehind(chain, entryNo))
    return { entryNo, is: 'reordered', sentence: `entry ${place} is in the place of entry ${entryNo}: they were re-ordered` };
  return { entryNo, is: 'removed', sentence: `entry ${entryNo} was removed, and entry ${place} is in its place` };
}

/** The number that the entry was sealed with; `undefined` when its fields were changed, or it came from far away. */
async function findPlace({ keys, pause }: Chain, entry: SealedEntry): Promise<bigint | undefined> {
  const { entryNo } = entry;
  for (let place = entryNo > NEAR ? entryNo - NEAR : 1n; place <= entryNo + NEAR; place++) {
    if (isSealedWithOneOf(keys, { ...entry, entryNo: place })) return place;
    if (place % BigInt(ENTRIES_AT_ONCE) === 0n) await pause();
  }
  return undefined;
}

/** Whether the entry that was sealed with this number follows later. */
async function isBehind({ pool, keys, pause }: Chain, entryNo: bigint): Promise<boolean> {
  const entries = eachPage<SealedEntry>(ENTRIES_AT_ONCE, (last, limit) =>
    listAuditEntriesAfter(pool, last?.entryNo ?? entryNo, limit),
  );
  for await (const page of entries) {
    if (page.some((entry) => isSealedWithOneOf(keys, { ...entry, entryNo }))) return true;
    await pause();
  }
  return false;
}
