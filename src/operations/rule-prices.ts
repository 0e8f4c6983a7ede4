import { listRuleVersions } from '../store/rule-version.ts';
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
