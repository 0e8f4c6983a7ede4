import { findLastAuditEntries } from '../../store/audit/audit.ts';
import type { Queryable } from '../../store/database.ts';
import { databaseOf } from '../../store/transaction.ts';
import type { AuditedKind } from './audited-kinds.ts';
import { type AuditDifference, compareWithEntry, describeDifference } from './compare-with-audit.ts';
import { UnverifiedRecordError, WHAT_TO_DO } from './unverified-record.ts';

/**
 * Holds records against the last sealed entries about them.
 *
 * @param db A transaction that holds the records, or that nobody else's change of them disturbs.
 */
export async function findDifferences<Row>(
  db: Queryable,
  kind: AuditedKind<Row>,
  rows: readonly Row[],
): Promise<AuditDifference[]> {
  const keys = databaseOf(db).auditKeys();
  const entries = await findLastAuditEntries(db, kind.action, rows.map(kind.idOf));
  return rows.flatMap((row) => {
    const id = kind.idOf(row);
    return compareWithEntry(id, kind.recordOf(row), { entry: entries.get(id), keys }) ?? [];
  });
}

/**
 * Before anything rests on a record, or a change of it writes an entry that would make an edit true.
 *
 * @param db As {@link findDifferences}.
 * @throws UnverifiedRecordError
 */
export async function requireAudited<Row>(db: Queryable, kind: AuditedKind<Row>, row: Row): Promise<void> {
  const [difference] = await findDifferences(db, kind, [row]);
  if (difference) throw unverifiedRecord(kind, difference);
}

/**
 * The same of records that the transaction does not hold: somebody may change one between the two looks, so that it is then held and
 * looked at again.
 *
 * @throws UnverifiedRecordError With the first that differs from the audit.
 */
export async function requireAllAudited<Row>(db: Queryable, kind: AuditedKind<Row>, rows: readonly Row[]): Promise<void> {
  const differing = new Set((await findDifferences(db, kind, rows)).map(({ subjectId }) => subjectId));
  for (const row of rows.filter((each) => differing.has(kind.idOf(each)))) {
    const held = await kind.lock(db, row);
    if (!held) throw unverifiedRecord(kind, { subjectId: kind.idOf(row), fields: ['removed'] });
    await requireAudited(db, kind, held);
  }
}

export function unverifiedRecord({ name }: Pick<AuditedKind<never>, 'name'>, difference: AuditDifference): UnverifiedRecordError {
  const { subjectId } = difference;
  return new UnverifiedRecordError(
    `The ${name.replace('_', ' ')} ${subjectId} differs from the audit: ${describeDifference(difference)}. ${WHAT_TO_DO}`,
  );
}
