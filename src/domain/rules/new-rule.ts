import type { DetailCode } from '../detail-codes.ts';
import { isShortIdentifier, SHORT_IDENTIFIER } from '../identifiers.ts';
import { isCurrency } from '../numbers/currency.ts';
import { readUnitPrice } from '../numbers/money.ts';
import { isPoints, POINTS_MAX } from '../numbers/points.ts';
import type { ErrorDetail } from '../service-error.ts';
import { DEFAULT_VERSION } from './contribution-rules.ts';
import type { ContributionRule, PointConversion, RuleHead, RuleVersion, TreeCost } from './rule-versions.ts';

/** A rule as an operator states it: as it is stored, except for the prices, which are decimals in strings. */
export type NewRule =
  | ContributionRule
  | (Omit<PointConversion, 'pointValue'> & { readonly pointValue: string | null })
  | (Omit<TreeCost, 'treeCost'> & { readonly treeCost: string | null });

/**
 * A version is created, or withdrawn, this long before its start. Each process knows the versions as of ten seconds ago or later, and a
 * transaction takes seconds: so at its start every process knows the version, or knows that it was withdrawn.
 */
export const RULE_LEAD_MS = 60_000;

/** The earliest start of a version that is created now. */
export function earliestStart(now: Date): Date {
  return new Date(now.getTime() + RULE_LEAD_MS);
}

/** The records against which a new rule is checked. */
export interface RuleContext {
  /** The database's time. */
  readonly now: Date;
  /** The currency of the partner that the rule is for; `null` when none is fixed, `undefined` for a rule for all partners. */
  readonly partnerCurrency: string | null | undefined;
  /** The versions of the same kind, including those of other partners and withdrawn ones, because a label identifies one version. */
  readonly existing: readonly (RuleHead & { readonly withdrawnAt?: Date | null })[];
}

type Problems = readonly (ErrorDetail | false | undefined)[];

/**
 * All problems of a new rule, by the field names on the wire; empty when it may be stored.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels: rules never start in the past, and a rule in another currency
 * than the partner's is refused.
 */
export function checkNewRule(rule: NewRule, context: RuleContext): ErrorDetail[] {
  const problems = [...checkHead(rule, context), ...checkContent(rule, context)];
  return problems.filter((problem) => problem !== false && problem !== undefined);
}

/**
 * The version that is stored.
 *
 * @throws RangeError When the rule's prices were not checked with {@link checkNewRule}.
 */
export function toRuleVersion(rule: NewRule): RuleVersion {
  switch (rule.kind) {
    case 'contribution_rule':
      return rule;
    case 'point_conversion':
      return { ...rule, pointValue: toPrice(rule.pointValue) };
    case 'tree_cost':
      return { ...rule, treeCost: toPrice(rule.treeCost) };
  }
}

function checkHead({ version, startsAt, partnerId }: RuleHead, { now, existing }: RuleContext): Problems {
  const { minLength, maxLength } = SHORT_IDENTIFIER;
  const standing = existing.filter(({ withdrawnAt = null }) => withdrawnAt === null);
  const startsAtOnce = standing.some((other) => other.partnerId === partnerId && other.startsAt.getTime() === startsAt.getTime());
  return [
    !isShortIdentifier(version) &&
      problem('version', 'wrong_form', `a label of ${minLength} to ${maxLength} characters out of A-Z a-z 0-9 . _ : -`),
    version.startsWith('default-') &&
      problem('version', 'reserved', `another label: labels like ${DEFAULT_VERSION} are reserved for the service`),
    existing.some((other) => other.version === version) &&
      problem('version', 'already_used', 'a label that no other version of this kind has'),
    checkStart(startsAt, now),
    startsAtOnce &&
      problem('starts_at', 'already_used', 'another time: another version of this kind for the same partners starts then'),
  ];
}

function checkStart(startsAt: Date, now: Date): ErrorDetail | undefined {
  if (Number.isNaN(startsAt.getTime())) return problem('starts_at', 'wrong_form', 'a time with its zone');
  const earliest = earliestStart(now);
  if (startsAt < now)
    return problem('starts_at', 'in_the_past', `${earliest.toISOString()} or later: rules never start in the past`);
  if (startsAt < earliest)
    return problem('starts_at', 'too_soon', `${earliest.toISOString()} or later, so that every process has it in time`);
  return undefined;
}

function checkContent(rule: NewRule, { partnerCurrency }: RuleContext): Problems {
  switch (rule.kind) {
    case 'contribution_rule':
      return checkBounds(rule);
    case 'point_conversion':
      return [checkPrice('point_value', rule.pointValue), checkCurrency(rule.currency, rule.pointValue, partnerCurrency)];
    case 'tree_cost':
      return [checkPrice('tree_cost', rule.treeCost), checkCurrency(rule.currency, rule.treeCost, partnerCurrency)];
  }
}

function checkBounds({ pointsMin, pointsMax, reviewThreshold, dailyPointsCap, dailyCountCap }: ContributionRule): Problems {
  return [
    checkWhole('points_min', pointsMin),
    checkWhole('points_max', pointsMax),
    pointsMin > pointsMax && problem('points_max', 'below_points_min', 'at least points_min'),
    reviewThreshold !== null && checkWhole('review_threshold', reviewThreshold),
    dailyPointsCap !== null && checkWhole('daily_points_cap', dailyPointsCap),
    dailyCountCap !== null && checkWhole('daily_count_cap', dailyCountCap),
  ];
}

function checkWhole(field: string, value: bigint): ErrorDetail | false {
  return !isPoints(value) && problem(field, value < 1n ? 'too_small' : 'too_large', `a whole number from 1 to ${POINTS_MAX}`);
}

function checkPrice(field: string, price: string | null): ErrorDetail | false {
  const isWrong = price !== null && readUnitPrice(price) === undefined;
  return (
    isWrong &&
    problem(field, 'wrong_form', 'a decimal in a string, above 0 and below 10^12, with at most twelve decimals, such as "0.05"')
  );
}

function checkCurrency(
  currency: string | null,
  price: string | null,
  partnerCurrency: string | null | undefined,
): ErrorDetail | undefined {
  if (price === null)
    return currency === null ? undefined : problem('currency', 'not_expected', 'left out where there is no value');
  if (currency === null) return problem('currency', 'missing', 'given together with a value');
  if (!isCurrency(currency)) return problem('currency', 'wrong_form', 'an ISO 4217 currency of three capital letters');
  if (partnerCurrency === null) return problem('currency', 'not_fixed', 'set for the partner before a rule has a value in it');
  if (partnerCurrency !== undefined && currency !== partnerCurrency)
    return problem('currency', 'other_currency', `${partnerCurrency}, the currency of the partner`);
  return undefined;
}

function problem(field: string, code: DetailCode, form: string): ErrorDetail {
  return { field, code, message: `${field} must be ${form}.` };
}

function toPrice(text: string | null): bigint | null {
  const price = text === null ? null : readUnitPrice(text);
  if (price === undefined) throw new RangeError(`Not a price: ${text}`);
  return price;
}
