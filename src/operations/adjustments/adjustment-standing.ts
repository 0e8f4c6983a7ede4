import type { Standing } from '../../domain/adjustments/adjustment-effect.ts';
import type { Partner } from '../../store/access/partner.ts';
import { sumPostedDeltas } from '../../store/adjustments/adjustment.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Prices } from '../../store/settlements/settlement-price.ts';
import { findHighestPointValue } from '../rules/rule-prices.ts';
import type { PricesOf } from '../settlements/settlement-tools.ts';

/** What points are worth to a partner, and ever were. A version that was in force stays so: no lock is needed. */
export interface Worth {
  readonly partnerId: string;
  readonly prices: Prices;
  readonly highestValue: bigint | null;
}

/** @throws UnverifiedRecordError Where a version of the partner's rules differs from the audit. */
export async function readWorth(
  db: Queryable,
  partner: Partner,
  { pricesOf, auditKeys }: { readonly pricesOf: PricesOf } & Pick<Database, 'auditKeys'>,
): Promise<Worth> {
  const prices = await pricesOf(db, partner);
  return { partnerId: partner.partnerId, prices, highestValue: await findHighestPointValue(db, partner, auditKeys) };
}

/** What of a contribution never changes. */
export interface AdjustedContribution {
  readonly transactionId: string;
  readonly points: bigint;
  readonly pointConversionVersion: string;
}

/** What of a contribution is settled. It stays so while the contribution's row is held. */
export async function readStanding(
  db: Queryable,
  { partnerId, prices: { currency, values }, highestValue }: Worth,
  { transactionId, points, pointConversionVersion }: AdjustedContribution,
): Promise<Standing> {
  const posted = await sumPostedDeltas(db, partnerId, transactionId);
  const pointValue = values.get(pointConversionVersion) ?? null;
  return { points, settledPoints: points + posted.points, restated: posted.amount, pointValue, highestValue, currency };
}
