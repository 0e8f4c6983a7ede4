import { listAuditEntries, listAuditSubjects } from '../store/audit.ts';
import type { Queryable } from '../store/database.ts';
import { exactJson } from '../wire/event-to-text.ts';

/** A record that is not as the service wrote it. */
export interface AuditDifference {
  readonly subjectId: string;
  /** What differs from the audit, such as `status`; `removed` where the record is not there at all. */
  readonly fields: readonly string[];
}

/** Compares a record, in the form in which the audit keeps it, with the last entry about it. */
export async function compareWithAudit(
  db: Queryable,
  subjectId: string,
  record: object | undefined,
): Promise<AuditDifference | undefined> {
  if (!record) return { subjectId, fields: ['removed'] };
  const [entry] = await listAuditEntries(db, { subjectId, limit: 1 });
  const fields = differingFields(record, entry?.after ?? '{}');
  return fields.length === 0 ? undefined : { subjectId, fields };
}

/** The fields in which a record is not what an entry of the audit says. */
export function differingFields(record: object, after: string): string[] {
  const [now, kept] = [readFields(exactJson(record)), readFields(after)];
  return [...new Set([...Object.keys(now), ...Object.keys(kept)])].filter((field) => now[field] !== kept[field]);
}

/** Each field as a text of its own, every number in all its digits. */
function readFields(text: string): Record<string, string> {
  const record = JSON.parse(text, (_name, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' ? String(source) : value,
  );
  return Object.fromEntries(Object.entries(record ?? {}).map(([name, value]) => [name, JSON.stringify(value)]));
}

const SUBJECTS_AT_ONCE = 500;

/** Every record whose id begins so that there ever was, page by page, whether it is there still or not. */
export async function* eachAuditedSubject(db: Queryable, prefix: string): AsyncGenerator<string> {
  for (let page: string[] | undefined; page === undefined || page.length === SUBJECTS_AT_ONCE; ) {
    page = await listAuditSubjects(db, { prefix, afterId: page?.at(-1) ?? '', limit: SUBJECTS_AT_ONCE });
    yield* page;
  }
}
