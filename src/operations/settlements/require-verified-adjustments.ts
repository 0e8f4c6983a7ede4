import { type Adjustment, listAdjustments } from '../../store/adjustments/adjustment.ts';
import { findSettledAdjustments } from '../../store/adjustments/adjustment-assignment.ts';
import type { Queryable } from '../../store/database.ts';
import { eachPage } from '../../store/each-page.ts';
import type { Settlement } from '../../store/settlements/settlement.ts';
import { ADJUSTMENT } from '../audit/audited-kinds.ts';
import { eachAuditedAdjustment } from '../audit/compare-with-audit.ts';
import { requireAllAudited, unverifiedRecord } from '../audit/require-audited.ts';

const ADJUSTMENTS_AT_ONCE = 500;

/**
 * Compares with the audit all adjustments of a partner that are on no earlier settlement, including those of this one: an edit of a
 * posted one, or of its time or status, would be settled, or would leave it out. Operators create them one by one, so they are few.
 *
 * @throws UnverifiedRecordError With the first that differs from the audit.
 */
export async function requireVerifiedAdjustments(
  db: Queryable,
  { partnerId, settlementId }: Pick<Settlement, 'partnerId' | 'settlementId'>,
): Promise<void> {
  const missing = new Set(await Array.fromAsync(eachAuditedAdjustment(db, partnerId)));
  for await (const page of eachAdjustmentPage(db, partnerId)) {
    const ids = page.map(({ adjustmentId }) => adjustmentId);
    const settled = await findSettledAdjustments(db, { partnerId, settlementId }, ids);
    for (const id of ids) missing.delete(id);
    const unsettled = page.filter(({ adjustmentId }) => !settled.has(adjustmentId));
    const moved = unsettled.find((each) => each.settlementId !== null && each.settlementId !== settlementId);
    if (moved) throw unverifiedRecord(ADJUSTMENT, { subjectId: moved.adjustmentId, fields: ['settlementId'] });
    await requireAllAudited(db, ADJUSTMENT, unsettled);
  }
  for (const subjectId of missing) throw unverifiedRecord(ADJUSTMENT, { subjectId, fields: ['removed'] });
}

function eachAdjustmentPage(db: Queryable, partnerId: string): AsyncGenerator<readonly Adjustment[]> {
  return eachPage<Adjustment>(ADJUSTMENTS_AT_ONCE, (last, limit) =>
    listAdjustments(db, partnerId, { beforeId: last?.adjustmentId, limit }),
  );
}
