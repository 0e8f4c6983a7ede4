import { type Adjustment, AFTER_LAST_ADJUSTMENT, listAdjustments, lockAdjustment } from '../store/adjustment.ts';
import { findSettledAdjustments } from '../store/adjustment-assignment.ts';
import { findLastAuditEntries, listAuditSubjectsOfPartner } from '../store/audit.ts';
import type { Queryable } from '../store/database.ts';
import type { Settlement } from '../store/settlement.ts';
import { databaseOf } from '../store/transaction.ts';
import { adjustmentRecord } from './adjustment-record.ts';
import { type AuditDifference, compareWithEntry, describeDifference } from './compare-with-audit.ts';
import { UnsoundRecordError, WHAT_TO_DO } from './unsound-record.ts';

const KIND = 'adjustment';
const ADJUSTMENTS_AT_ONCE = 500;

/**
 * Holds the adjustments of a partner that no earlier settlement has a line of against the audit, those of this one among them: an edit of
 * a posted one, or of its time or status, would be settled as true, or leave it out. People make them one by one: they are few.
 *
 * @throws UnsoundRecordError With the first that is not as the audit has it.
 */
export async function requireSoundAdjustments(
  db: Queryable,
  { partnerId, settlementId }: Pick<Settlement, 'partnerId' | 'settlementId'>,
): Promise<void> {
  const missing = new Set(await listAuditSubjectsOfPartner(db, KIND, partnerId));
  for await (const page of eachPage(db, partnerId)) {
    const ids = page.map(({ adjustmentId }) => adjustmentId);
    const settled = await findSettledAdjustments(db, { partnerId, settlementId }, ids);
    for (const id of ids) missing.delete(id);
    const unsettled = page.filter(({ adjustmentId }) => !settled.has(adjustmentId));
    const moved = unsettled.find((each) => each.settlementId !== null && each.settlementId !== settlementId);
    if (moved) throw unsound({ subjectId: moved.adjustmentId, fields: ['settlementId'] });
    await requireSound(db, unsettled);
  }
  for (const subjectId of missing) throw unsound({ subjectId, fields: ['removed'] });
}

/**
 * Before a step is taken with an adjustment, which writes an entry that would make an edit true.
 *
 * @throws UnsoundRecordError
 */
export async function requireSoundAdjustment(db: Queryable, adjustment: Adjustment): Promise<void> {
  const difference = await compare(db, adjustment.adjustmentId, adjustment);
  if (difference) throw unsound(difference);
}

async function requireSound(db: Queryable, adjustments: readonly Adjustment[]): Promise<void> {
  const keys = databaseOf(db).auditKeys();
  const ids = adjustments.map(({ adjustmentId }) => adjustmentId);
  const entries = await findLastAuditEntries(db, KIND, ids);
  for (const adjustment of adjustments) {
    const { partnerId, adjustmentId } = adjustment;
    const entry = entries.get(adjustmentId);
    if (!compareWithEntry(adjustmentId, adjustmentRecord(adjustment), { entry, keys })) continue;
    // Somebody may have taken a step with it between the two looks.
    const difference = await compare(db, adjustmentId, await lockAdjustment(db, partnerId, adjustmentId));
    if (difference) throw unsound(difference);
  }
}

/** @param adjustment Held by this transaction. */
async function compare(
  db: Queryable,
  adjustmentId: string,
  adjustment: Adjustment | undefined,
): Promise<AuditDifference | undefined> {
  const entry = (await findLastAuditEntries(db, KIND, [adjustmentId])).get(adjustmentId);
  const keys = databaseOf(db).auditKeys();
  return compareWithEntry(adjustmentId, adjustment && adjustmentRecord(adjustment), { entry, keys });
}

function unsound(difference: AuditDifference): UnsoundRecordError {
  const { subjectId } = difference;
  return new UnsoundRecordError(
    `The adjustment ${subjectId} is not as the audit has it: ${describeDifference(difference)}. ${WHAT_TO_DO}`,
  );
}

async function* eachPage(db: Queryable, partnerId: string): AsyncGenerator<Adjustment[]> {
  for (let page: Adjustment[] | undefined; page === undefined || page.length === ADJUSTMENTS_AT_ONCE; ) {
    const beforeId = page?.at(-1)?.adjustmentId ?? AFTER_LAST_ADJUSTMENT;
    page = await listAdjustments(db, partnerId, { beforeId, limit: ADJUSTMENTS_AT_ONCE });
    yield page;
  }
}
