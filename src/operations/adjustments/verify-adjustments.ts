import { type Adjustment, listAdjustments, lockAdjustment } from '../../store/adjustments/adjustment.ts';
import type { Database, Queryable } from '../../store/database.ts';
import { eachRow } from '../../store/each-page.ts';
import { inTransaction, USUAL_LOCK_TIMEOUT } from '../../store/transaction.ts';
import { adjustmentRecord } from '../audit/adjustment-record.ts';
import { type AuditDifference, compareWithAudit } from '../audit/compare-with-audit.ts';

export interface AdjustmentsVerdict {
  readonly adjustments: number;
  readonly problems: readonly AuditDifference[];
}

const ADJUSTMENTS_AT_ONCE = 500;

/**
 * Compares every adjustment of a partner with its last audit entry. After a difference it is read again under its lock, because an
 * operator may have changed it meanwhile. `verifySettlements` verifies the settlement that closed over it.
 *
 * @param auditedIds All adjustments of any partner in the audit; verified ones are removed from the set.
 */
export async function verifyAdjustments(
  database: Database,
  partnerId: string,
  auditedIds: Set<string>,
): Promise<AdjustmentsVerdict> {
  const problems: AuditDifference[] = [];
  let adjustments = 0;
  for await (const adjustment of eachAdjustment(database.pool, partnerId)) {
    adjustments++;
    auditedIds.delete(adjustment.adjustmentId);
    const problem = await compare(database, adjustment);
    if (problem) problems.push(problem);
  }
  return { adjustments, problems };
}

async function compare(database: Database, adjustment: Adjustment): Promise<AuditDifference | undefined> {
  const { partnerId, adjustmentId } = adjustment;
  const [keys, subjectId] = [database.auditKeys(), adjustmentId];
  if (!(await compareWithAudit(database.pool, keys, { subjectId, record: adjustmentRecord(adjustment) }))) return undefined;
  return inTransaction(database, USUAL_LOCK_TIMEOUT, async (db) => {
    const now = await lockAdjustment(db, partnerId, adjustmentId);
    return compareWithAudit(db, keys, { subjectId, record: now && adjustmentRecord(now) });
  });
}

function eachAdjustment(db: Queryable, partnerId: string): AsyncGenerator<Adjustment> {
  return eachRow<Adjustment>(ADJUSTMENTS_AT_ONCE, (last, limit) =>
    listAdjustments(db, partnerId, { beforeId: last?.adjustmentId, limit }),
  );
}
