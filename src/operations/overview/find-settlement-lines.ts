import type { SettlementLine } from '../../domain/settlements/settlement-line.ts';
import { listAdjustmentsOfContributions } from '../../store/adjustments/settled-adjustment.ts';
import { searchContributions } from '../../store/contributions/contribution-search.ts';
import type { Queryable } from '../../store/database.ts';
import { joinPartnerIds } from '../../store/partner-ids.ts';
import { findSettlementLines as findLines } from '../../store/settlements/settlement-line.ts';
import { namesFor } from '../contributions/contribution-names.ts';

/** A text that finds more is no name of anything. */
const FOUND_MAX = 50;

/**
 * The lines of a settlement that a partner speaks of: of the contribution with this order, event, key or id, and of its adjustments. It
 * looks keys up, and reads no other line.
 */
export async function findSettlementLines(
  db: Queryable,
  settlement: { readonly partnerId: string; readonly settlementId: string },
  text: string,
): Promise<SettlementLine[]> {
  const { partnerId } = settlement;
  const ids = joinPartnerIds([partnerId]);
  const looks = namesFor(text).map((name) => searchContributions(db, ids, { name, value: text, limit: FOUND_MAX }));
  const transactionIds = (await Promise.all(looks)).flat().map(({ transactionId }) => transactionId);
  const adjustmentIds = await listAdjustmentsOfContributions(db, { partnerId, transactionIds, limit: FOUND_MAX });
  return findLines(db, settlement, { transactionIds, adjustmentIds });
}
