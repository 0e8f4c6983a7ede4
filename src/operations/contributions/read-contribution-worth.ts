import { amountOf } from '../../domain/numbers/money.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import type { Queryable } from '../../store/database.ts';
import { readPricesOfPartners } from '../rules/rule-prices.ts';

/** What the points of a contribution are worth, as contributed. */
export interface ContributionWorth {
  /** In 10^-12 of the currency's unit; `null` where its version has no value in the partner's currency. */
  readonly amount: bigint | null;
  readonly currency: string | null;
}

/** Under the version that applied to it: adjustments change nothing of it. */
export async function readContributionWorth(
  db: Queryable,
  { partnerId, contribution }: ContributionRecord,
): Promise<ContributionWorth> {
  const { points, pointConversionVersion } = contribution;
  const prices = (await readPricesOfPartners(db, [{ partnerId, pointConversionVersion }])).get(partnerId);
  const value = prices?.values.get(pointConversionVersion);
  if (!prices || value === undefined) return { amount: null, currency: null };
  return { amount: amountOf(points, value), currency: prices.currency };
}
