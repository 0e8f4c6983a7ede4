import type { SettledState } from '../../domain/adjustments/adjustment-effect.ts';
import type { Partner } from '../../store/access/partner.ts';
import { sumPostedDeltas } from '../../store/adjustments/adjustment.ts';
import type { Database, Queryable } from '../../store/database.ts';
import type { Prices } from '../../store/settlements/price-of-points.ts';
import { findHighestPointValue } from '../rules/rule-prices.ts';
import type { PricesOf } from '../settlements/settlement-tools.ts';

/** The values of a partner's points, past and present. A version that was in force does not change, so no lock is needed. */
export interface PointValues {
  readonly partnerId: string;
  readonly prices: Prices;
  readonly highestValue: bigint | null;
}

/**
 * @throws UnverifiedRecordError When a version of the partner's rules differs from the audit.
 */
export async function readPointValues(
  db: Queryable,
  partner: Partner,
  { pricesOf, auditKeys }: { readonly pricesOf: PricesOf } & Pick<Database, 'auditKeys'>,
): Promise<PointValues> {
  const prices = await pricesOf(db, partner);
  return { partnerId: partner.partnerId, prices, highestValue: await findHighestPointValue(db, partner, auditKeys) };
}

/** The fields of a contribution that never change. */
export interface AdjustedContribution {
  readonly transactionId: string;
  readonly points: bigint;
  readonly pointConversionVersion: string;
}

/** The settled state of a contribution. It does not change while the contribution's row is locked. */
export async function readSettledState(
  db: Queryable,
  { partnerId, prices: { currency, values }, highestValue }: PointValues,
  { transactionId, points, pointConversionVersion }: AdjustedContribution,
): Promise<SettledState> {
  const posted = await sumPostedDeltas(db, partnerId, transactionId);
  const pointValue = values.get(pointConversionVersion) ?? null;
  return { points, settledPoints: points + posted.points, restated: posted.amount, pointValue, highestValue, currency };
}
