import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import { listAdjustmentsOfContributions } from '../../store/adjustments/settled-adjustment.ts';
import type { Queryable } from '../../store/database.ts';
import { findSettlementLines } from '../../store/settlements/settlement-line.ts';
import { findNamedOf } from '../contributions/contribution-names.ts';

/** The most contributions and adjustments that are looked up. A name of one contribution finds fewer. */
const FOUND_MAX = 50;

/**
 * The lines of a settlement that a partner speaks of: of the contribution with this order, event, key or id, and of its adjustments. It
 * looks keys up, and reads no other line.
 */
export async function searchSettlementLines(
  db: Queryable,
  settlement: { readonly partnerId: string; readonly settlementId: string },
  text: string,
): Promise<SettlementLine[]> {
  const { partnerId } = settlement;
  const named = await findNamedOf(db, partnerId, { text, limit: FOUND_MAX });
  const transactionIds = named.map(({ transactionId }) => transactionId);
  const adjustmentIds = await listAdjustmentsOfContributions(db, { partnerId, transactionIds, limit: FOUND_MAX });
  return findSettlementLines(db, settlement, { transactionIds, adjustmentIds });
}
