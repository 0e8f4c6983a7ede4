import { amountText } from '../../domain/numbers/money.ts';
import { RULE_KINDS, replaces } from '../../domain/rules/rule-versions.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { listRuleVersions, type RuleRecord } from '../../store/rules/rule-version.ts';
import {
  nullableDecimalText,
  nullableIntegerText,
  nullableText,
  nullableTime,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';

export const Kind = oneOf(RULE_KINDS, 'What kind of rule it is.');

export const RULE_STANDINGS = ['in_force', 'upcoming', 'past', 'withdrawn'] as const;
type RuleStanding = (typeof RULE_STANDINGS)[number];

export const Rule = shape('Rule', {
  kind: Kind,
  version: text('The version label, unique within the kind.'),
  partner_id: nullableText('For whom it is; `null` for all partners.'),
  starts_at: time('When it takes effect.'),
  points_min: nullableIntegerText('The least points of a contribution; `null` for another kind.'),
  points_max: nullableIntegerText('The most points of a contribution; `null` for another kind.'),
  reviews_everything: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description: 'Whether every contribution is pending until an operator decides; `null` for another kind.',
  }),
  review_threshold: nullableIntegerText('Contributions of so many points are pending; `null` without one.'),
  daily_points_cap: nullableIntegerText('Contributions beyond so many points a day are pending; `null` without one.'),
  daily_count_cap: nullableIntegerText('Contributions beyond this number a day are pending; `null` without one.'),
  point_value: nullableDecimalText('What a point is worth; `null` without a value.'),
  tree_cost: nullableDecimalText('What a tree costs; `null` without a cost.'),
  currency: nullableText('The currency of the value, by ISO 4217; `null` without one.'),
  created_at: time('When it was created.'),
  withdrawn_at: nullableTime('When it was withdrawn; `null` unless it was.'),
  standing: oneOf(
    RULE_STANDINGS,
    'Whether it applies now. Among versions of a kind for the same partners the one that started last is in force; a value takes the place of those in its currency only.',
  ),
});

export function ruleToWire(rule: RuleRecord, standing: RuleStanding) {
  const bounds = rule.kind === 'contribution_rule' ? rule : undefined;
  const exact = (value: bigint | null | undefined) => (value === null || value === undefined ? null : amountText(value));
  return {
    kind: rule.kind,
    version: rule.version,
    partner_id: rule.partnerId,
    starts_at: rule.startsAt,
    points_min: bounds?.pointsMin ?? null,
    points_max: bounds?.pointsMax ?? null,
    reviews_everything: bounds?.reviewsEverything ?? null,
    review_threshold: bounds?.reviewThreshold ?? null,
    daily_points_cap: bounds?.dailyPointsCap ?? null,
    daily_count_cap: bounds?.dailyCountCap ?? null,
    point_value: exact(rule.kind === 'point_conversion' ? rule.pointValue : null),
    tree_cost: exact(rule.kind === 'tree_cost' ? rule.treeCost : null),
    currency: rule.kind === 'contribution_rule' ? null : rule.currency,
    created_at: rule.createdAt,
    withdrawn_at: rule.withdrawnAt,
    standing,
  };
}

/** How each version stands. */
export function standingsOf(rules: readonly RuleRecord[], now: Date): (rule: RuleRecord) => RuleStanding {
  const samePartners = ({ kind, partnerId }: RuleRecord) => `${kind} ${partnerId}`;
  const started = rules.filter(({ withdrawnAt, startsAt }) => withdrawnAt === null && startsAt <= now);
  const startedFor = Map.groupBy(started, samePartners);
  return (rule) => {
    if (rule.withdrawnAt !== null) return 'withdrawn';
    if (rule.startsAt > now) return 'upcoming';
    return startedFor.get(samePartners(rule))?.some((other) => replaces(other, rule)) ? 'past' : 'in_force';
  };
}

/** A version that was just created, or withdrawn. */
export async function describeRule(db: Queryable, { kind, version }: RuleRecord) {
  const all = await listRuleVersions(db);
  const standingOf = standingsOf(all, await readClock(db));
  const rule = all.find((each) => each.kind === kind && each.version === version) as RuleRecord;
  return ruleToWire(rule, standingOf(rule));
}
