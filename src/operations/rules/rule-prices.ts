import type { NamedKey } from '../../domain/audit/named-key.ts';
import { DEFAULT_VERSION } from '../../domain/rules/contribution-rules.ts';
import { listVersionsInForce, type RuledPartner, type RuleVersion } from '../../domain/rules/rule-versions.ts';
import { findPartners, type Partner } from '../../store/access/partner.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { findRuleVersion, listRuleVersionsOf } from '../../store/rules/rule-version.ts';
import type { Prices } from '../../store/settlements/price-of-points.ts';
import { databaseOf } from '../../store/transaction.ts';
import type { DoubtsOf, PricesOf } from '../settlements/settlement-tools.ts';
import { readCurrencyStart } from './currency-start.ts';
import { readVerifiedRules, readVerifiedRulesNamed, ruleSubject } from './verified-rules.ts';

/**
 * The value of one point for a partner under each version that its contributions may carry, in the partner's currency. A version that was
 * withdrawn was never in force.
 */
export const pricesUnderRules: PricesOf = async (db, partner) => {
  const rules = await listRuleVersionsOf(db, partner.partnerId, ['point_conversion']);
  return { currency: partner.currency, values: pricesIn(rules, partner) };
};

/** The value of one point for each of several partners, by their ids, under the versions that their records carry. */
export async function readPricesOfPartners(
  db: Queryable,
  records: readonly { readonly partnerId: string; readonly pointConversionVersion: string }[],
): Promise<ReadonlyMap<string, Prices>> {
  const versions = [...new Set(records.map(({ pointConversionVersion }) => pointConversionVersion))];
  const [partners, found] = await Promise.all([
    findPartners(db, [...new Set(records.map(({ partnerId }) => partnerId))]),
    Promise.all(versions.map((version) => findRuleVersion(db, 'point_conversion', version))),
  ]);
  const rules = found.filter((rule) => rule !== undefined);
  return new Map(
    partners.map((partner) => [partner.partnerId, { currency: partner.currency, values: pricesIn(rules, partner) }]),
  );
}

/**
 * The price that was used, not the current version, is compared with the sealed entry of the version. Only the service's own label has
 * neither, and no price.
 */
export const doubtsUnderAudit: DoubtsOf = (db, partner, { values }) => {
  return async (version) => {
    const name = { kind: 'point_conversion', version } as const;
    const { sealed, doubts } = await readVerifiedRulesNamed(db, databaseOf(db).auditKeys, [name]);
    const isKnown = version === DEFAULT_VERSION || sealed.length > 0;
    if (isKnown && values.get(version) === pricesIn(sealed, partner).get(version)) return undefined;
    return (
      doubts.get(ruleSubject(name)) ??
      (isKnown ? 'its value changed a moment ago' : 'neither the version nor an audit entry exists')
    );
  };
};

function pricesIn(rules: readonly RuleVersion[], { partnerId, currency }: RuledPartner): Map<string, bigint> {
  const values = new Map<string, bigint>();
  for (const rule of rules) {
    if (rule.kind !== 'point_conversion' || rule.pointValue === null || rule.currency !== currency) continue;
    if (rule.partnerId === null || rule.partnerId === partnerId) values.set(rule.version, rule.pointValue);
  }
  return values;
}

/**
 * The highest value that a point ever had for a partner, since it has its currency; `null` when points never had a value.
 *
 * @throws UnverifiedRecordError When a version of the partner's rules differs from the audit.
 */
export async function findHighestPointValue(
  db: Queryable,
  partner: Partner,
  auditKeys: () => readonly NamedKey[],
): Promise<bigint | null> {
  const versions = await readVerifiedRules(db, auditKeys, partner.partnerId);
  const span = { partner, from: await readCurrencyStart(db, partner, auditKeys), to: await readClock(db) };
  const values = listVersionsInForce('point_conversion', versions, span).map(({ pointValue }) => pointValue);
  return values.reduce((most, value) => (most !== null && (value === null || value < most) ? most : value), null);
}
