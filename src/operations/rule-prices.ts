import { listVersionsInForce } from '../domain/rule-versions.ts';
import type { Queryable } from '../store/database.ts';
import type { Partner } from '../store/partner.ts';
import { listRuleVersions } from '../store/rule-version.ts';
import { readClock } from '../store/settlement.ts';
import type { PricesOf } from './settlement-tools.ts';

/** What one point is worth to a partner under each version that a contribution of it may carry: values in the partner's own currency. */
export const pricesUnderRules: PricesOf = async (db, { partnerId, currency }) => {
  const values = new Map<string, bigint>();
  for (const rule of await listRuleVersions(db)) {
    if (rule.kind !== 'point_conversion' || rule.pointValue === null || rule.currency !== currency) continue;
    if (rule.partnerId === null || rule.partnerId === partnerId) values.set(rule.version, rule.pointValue);
  }
  return { currency, values };
};

/** The most that one point was ever worth to a partner, since it was made; `null` where points never had a value. */
export async function findHighestPointValue(db: Queryable, partner: Partner): Promise<bigint | null> {
  const versions = (await listRuleVersions(db)).filter(({ withdrawnAt }) => withdrawnAt === null);
  const span = { partner, from: partner.createdAt, to: await readClock(db) };
  const values = listVersionsInForce('point_conversion', versions, span).map(({ pointValue }) => pointValue);
  return values.reduce((most, value) => (most !== null && (value === null || value < most) ? most : value), null);
}
