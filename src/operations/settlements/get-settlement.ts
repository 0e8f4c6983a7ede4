import { recordNotFound, type ServiceError } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { findSettlement, type Settlement } from '../../store/settlements/settlement.ts';

/**
 * For operators.
 *
 * @throws ServiceError {@link partnerHasNoSettlement}.
 */
export async function getSettlement(db: Queryable, partnerId: string, settlementId: string): Promise<Settlement> {
  const settlement = await findSettlement(db, partnerId, settlementId);
  if (!settlement) throw partnerHasNoSettlement(partnerId, settlementId);
  return settlement;
}

export function partnerHasNoSettlement(partnerId: string, settlementId: string): ServiceError {
  return recordNotFound(
    'settlement_id',
    `The partner ${partnerId} has no settlement ${settlementId}. \`settlement list --partner ID\` shows all.`,
  );
}
