import { ServiceError } from '../../domain/service-error.ts';
import type { Queryable } from '../../store/database.ts';
import { type BatchSettlement, insertBatchSettlements } from '../../store/impact/impact-batch-settlement.ts';
import { findListedSettlements, type Settlement } from '../../store/settlements/settlement.ts';
import { databaseOf } from '../../store/transaction.ts';

/** Settlements of one partner, at least one. */
export interface SettlementsOfPartner {
  readonly partnerId: string;
  readonly settlementIds: readonly string[];
}

/**
 * Inserts settlements of any partners, each partner once, into a batch that is locked.
 *
 * @returns How many settlements it inserted, by partner.
 * @throws ServiceError `invalid_request` for the first that cannot be pooled.
 */
export async function insertPoolable(
  db: Queryable,
  impactBatchId: string,
  partners: readonly SettlementsOfPartner[],
): Promise<Map<string, number>> {
  const wanted = partners.flatMap(({ partnerId, settlementIds }) =>
    [...new Set(settlementIds)].map((settlementId) => ({ partnerId, settlementId })),
  );
  const { isDistributed } = databaseOf(db);
  const found = await findListedSettlements({ pool: db, isDistributed }, wanted);
  const byKey = new Map(found.map((settlement) => [keyOf(settlement), settlement]));
  const settlements = wanted.map((each) => requirePoolable(each, byKey.get(keyOf(each))));
  const inserted = new Set((await insertBatchSettlements(db, impactBatchId, settlements)).map(keyOf));
  for (const each of settlements) if (!inserted.has(keyOf(each))) refuse(each, 'is already in a batch, permanently');
  return new Map(partners.map(({ partnerId, settlementIds }) => [partnerId, new Set(settlementIds).size]));
}

type SettlementKey = Pick<BatchSettlement, 'partnerId' | 'settlementId'>;

function keyOf({ partnerId, settlementId }: SettlementKey): string {
  return `${partnerId} ${settlementId}`;
}

function requirePoolable(wanted: SettlementKey, settlement: Settlement | undefined): BatchSettlement {
  const { totals } = settlement ?? refuse(wanted, 'is not there');
  const { contributionCount } = totals ?? refuse(wanted, 'is open; a batch takes only closed settlements');
  if (contributionCount === 0n) refuse(wanted, 'has no contributions');
  return { ...wanted, contributionCount };
}

function refuse({ partnerId, settlementId }: SettlementKey, why: string): never {
  throw new ServiceError('invalid_request', `The settlement ${settlementId} of the partner ${partnerId} ${why}.`);
}
