import type { Queryable } from '../../store/database.ts';
import { databaseOf } from '../../store/transaction.ts';
import type { AuditedKind, ComparedKind } from './audited-kinds.ts';
import { type AuditDifference, describeDifference, differencesOf } from './compare-with-audit.ts';
import { RecordDiffersError, type UnverifiedRecordError } from './unverified-record.ts';

/**
 * Compares records with their last sealed entries.
 *
 * @param db A transaction that locks the records, or in which a concurrent change does no harm.
 */
export async function findDifferences<Row>(
  db: Queryable,
  kind: ComparedKind<Row>,
  rows: readonly Row[],
): Promise<AuditDifference[]> {
  return differencesOf({ pool: db, auditKeys: databaseOf(db).auditKeys }, kind, rows);
}

/**
 * Call this before a decision uses a record, or before a change writes an entry that would confirm an edit.
 *
 * @param db As {@link findDifferences}.
 * @throws UnverifiedRecordError
 */
export async function requireAudited<Row>(db: Queryable, kind: ComparedKind<Row>, row: Row): Promise<void> {
  const [difference] = await findDifferences(db, kind, [row]);
  if (difference) throw unverifiedRecord(kind, difference);
}

/**
 * Requires of records that the transaction has not locked what {@link requireAudited} requires of one. A concurrent change is possible, so
 * a differing record is locked and compared again.
 *
 * @returns The records that equal the audit: in the place of a differing one, its locked row.
 * @throws UnverifiedRecordError With the first that differs from the audit.
 */
export async function requireAllAudited<Row>(db: Queryable, kind: AuditedKind<Row>, rows: readonly Row[]): Promise<Row[]> {
  const differing = new Set((await findDifferences(db, kind, rows)).map(({ subjectId }) => subjectId));
  const audited: Row[] = [];
  for (const row of rows) {
    if (differing.has(kind.idOf(row))) audited.push(await lockAudited(db, kind, row));
    else audited.push(row);
  }
  return audited;
}

async function lockAudited<Row>(db: Queryable, kind: AuditedKind<Row>, row: Row): Promise<Row> {
  const held = await kind.lock(db, row);
  if (!held) throw unverifiedRecord(kind, { subjectId: kind.idOf(row), fields: ['removed'] });
  await requireAudited(db, kind, held);
  return held;
}

export function unverifiedRecord(
  { name }: Pick<ComparedKind<never>, 'name'>,
  difference: AuditDifference,
): UnverifiedRecordError {
  return new RecordDiffersError(name.replace('_', ' '), difference.subjectId, describeDifference(difference));
}
