import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SealedEntry } from '../../domain/audit/audit-chain.ts';
import type { NamedKey } from '../../domain/audit/named-key.ts';
import { findLastAuditEntries, listAuditEntries } from '../../store/audit/audit-entry.ts';
import { listAuditedAdjustments, listAuditSubjectsWithPrefix } from '../../store/audit/audited-subject.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import { exactJson } from '../../wire/exact-json.ts';
import type { ComparedKind } from './audited-kinds.ts';
import { readSealedRecord } from './sealed-record.ts';

/** So many are compared in a turn of the event loop, which takes some milliseconds. */
const COMPARED_IN_TURN = 100;

/** A record that is not as the service wrote it. */
export interface AuditDifference {
  readonly subjectId: string;
  /**
   * The fields that differ from the audit, such as `status`; `removed` when the record is missing, `not_in_audit` when it has no entry,
   * and `audit_entry` when the entry does not match its seal, or its key is not configured.
   */
  readonly fields: readonly string[];
}

/** Compares a record, in the form of the audit, with its last entry. */
export function compareWithEntry(
  subjectId: string,
  record: object | undefined,
  { entry, keys }: { readonly entry: SealedEntry | undefined; readonly keys: readonly NamedKey[] },
): AuditDifference | undefined {
  if (!record) return { subjectId, fields: ['removed'] };
  if (!entry) return { subjectId, fields: ['not_in_audit'] };
  const { last } = readSealedRecord([entry], keys);
  if (!last) return { subjectId, fields: ['audit_entry'] };
  const fields = differingFields(record, last.after ?? '{}');
  return fields.length === 0 ? undefined : { subjectId, fields };
}

/**
 * Reads the last entries of records of a kind in one round trip, and compares each like {@link compareWithEntry}, while other requests are
 * answered.
 */
export async function differencesOf<Row>(
  { pool, auditKeys }: Pick<Database, 'auditKeys'> & { readonly pool: Queryable },
  kind: ComparedKind<Row>,
  rows: readonly Row[],
): Promise<AuditDifference[]> {
  const entries = await findLastAuditEntries(pool, kind.action, rows.map(kind.idOf));
  const keys = rows.length > 0 ? auditKeys() : [];
  const differences: AuditDifference[] = [];
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % COMPARED_IN_TURN === 0) await nextTurn();
    const id = kind.idOf(row);
    const difference = compareWithEntry(id, kind.recordOf(row), { entry: entries.get(id), keys });
    if (difference) differences.push(difference);
  }
  return differences;
}

/** Reads the last entry about the record, and compares the two like {@link compareWithEntry}. */
export async function compareWithAudit(
  db: Queryable,
  keys: readonly NamedKey[],
  { subjectId, record }: { readonly subjectId: string; readonly record: object | undefined },
): Promise<AuditDifference | undefined> {
  const [entry] = await listAuditEntries(db, { subjectId, limit: 1 });
  return compareWithEntry(subjectId, record, { entry, keys });
}

/** The difference as a part of a sentence, such as `status, points differ from the audit`. */
export function describeDifference({ fields }: Pick<AuditDifference, 'fields'>): string {
  const [only] = fields;
  if (only === 'removed') return 'the record was removed, but the audit has it';
  if (only === 'not_in_audit') return 'the audit has no entry of it';
  if (only === 'audit_entry') return 'its last audit entry does not match its seal, or the key is not in AUDIT_KEY';
  return `${fields.join(', ')} differ${fields.length === 1 ? 's' : ''} from the audit`;
}

/** The fields in which a record differs from an audit entry. */
export function differingFields(record: object, after: string): string[] {
  const [now, kept] = [readFields(exactJson(record)), readFields(after)];
  return [...new Set([...Object.keys(now), ...Object.keys(kept)])].filter((field) => now[field] !== kept[field]);
}

/** Each field as a text, every number with all its digits. */
function readFields(text: string): Record<string, string> {
  const record = JSON.parse(text, (_name, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? String(source) : value,
  );
  return Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, JSON.stringify(value)]));
}

const SUBJECTS_AT_ONCE = 500;

/** Every record with this id prefix that ever existed, page by page, whether it still exists or not. */
export function eachAuditedSubject(db: Queryable, prefix: string): AsyncGenerator<string> {
  return eachRow<string>(SUBJECTS_AT_ONCE, (last, limit) =>
    listAuditSubjectsWithPrefix(db, { prefix, afterId: last ?? '', limit }),
  );
}

/** Every adjustment of a partner that ever existed, page by page, whether it still exists or not. */
export function eachAuditedAdjustment(db: Queryable, partnerId: string): AsyncGenerator<string> {
  return eachRow<string>(SUBJECTS_AT_ONCE, (last, limit) =>
    listAuditedAdjustments(db, { partnerId, afterId: last ?? '', limit }),
  );
}
