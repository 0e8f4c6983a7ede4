import type { TSchema } from 'typebox';
import { findMinorUnits } from '../../domain/numbers/currency.ts';
import { amountText } from '../../domain/numbers/money.ts';
import { OUTCOMES } from '../../domain/rules/preview-rule.ts';
import type { RuleRequest } from '../../domain/rules/rule-request.ts';
import { RULE_KINDS, type RuleKind, rulesInForce } from '../../domain/rules/rule-versions.ts';
import { getPartner } from '../../operations/access/manage-partner.ts';
import * as operations from '../../operations/rules/manage-rule.ts';
import * as previews from '../../operations/rules/preview-rule.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { readTime } from '../../partner-api/validation/read-time.ts';
import { readClock } from '../../store/clock.ts';
import type { Queryable } from '../../store/database.ts';
import { listRuleVersionsOf, type RuleRecord } from '../../store/rules/rule-version.ts';
import { operatorRoute } from '../route.ts';
import {
  closed,
  count,
  flag,
  idParams,
  integerText,
  listOf,
  minorUnits,
  nullableDecimalText,
  nullableIntegerText,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';
import { describeRule, Kind, Rule } from './rule-schemas.ts';

const describe = (rule: RuleRecord, db: Queryable) => describeRule(db, rule);

const id = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }));

export const getRulesInForce = operatorRoute({
  operation: 'getRulesInForce',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/rules',
  tag: 'Rules',
  summary: 'Show what is in force for a partner now',
  leastRole: 'viewer',
  params: idParams('partner_id', 'The id of the partner.'),
  answer: shape('RulesInForce', {
    as_of: time('The moment at which it is in force.'),
    contribution_rule_version: text('The version of the contribution rule.'),
    point_conversion_version: text('The version of the point conversion.'),
    tree_cost_version: text('The version of the tree cost.'),
    points_min: integerText('The least points of a contribution.'),
    points_max: integerText('The most points of a contribution.'),
    reviews_everything: flag('Whether every contribution is pending until an operator decides.'),
    review_threshold: nullableIntegerText('Contributions of so many points are pending; `null` without one.'),
    daily_points_cap: nullableIntegerText('Contributions beyond so many points a day are pending; `null` without one.'),
    daily_count_cap: nullableIntegerText('Contributions beyond this number a day are pending; `null` without one.'),
    point_value: nullableDecimalText('What a point is worth in the currency of the partner; `null` without a value.'),
    tree_cost: nullableDecimalText('What a tree costs in the currency of the partner; `null` without a cost.'),
  }),
  async handle({ tools: { database }, params: { partner_id: partnerId } }) {
    const partner = await getPartner(database.pool, partnerId);
    const at = await readClock(database.pool);
    const rules = rulesInForce(await listRuleVersionsOf(database.pool, partnerId, RULE_KINDS), partner, at);
    return {
      as_of: at,
      contribution_rule_version: rules.contributionRuleVersion,
      point_conversion_version: rules.pointConversionVersion,
      tree_cost_version: rules.treeCostVersion,
      points_min: rules.pointsMin,
      points_max: rules.pointsMax,
      reviews_everything: rules.reviewsEverything,
      review_threshold: rules.reviewThreshold,
      daily_points_cap: rules.dailyPointsCap,
      daily_count_cap: rules.dailyCountCap,
      point_value: rules.pointValue === null ? null : amountText(rules.pointValue),
      tree_cost: rules.treeCost === null ? null : amountText(rules.treeCost),
    };
  },
});

const digits = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }));

/** What a version states, in digits and decimals. */
const ruleMembers = {
  points_min: digits('For a contribution rule: the least points, in digits.'),
  points_max: digits('For a contribution rule: the most points, in digits.'),
  review_threshold: digits('For a contribution rule: from so many points on a contribution is pending.'),
  daily_points_cap: digits('For a contribution rule: beyond so many points a day contributions are pending.'),
  daily_count_cap: digits('For a contribution rule: beyond this number a day contributions are pending.'),
  point_value: digits('For a point conversion: what a point is worth, as a decimal.'),
  tree_cost: digits('For a tree cost: what a tree costs, as a decimal.'),
  currency: Type.Optional(Type.String({ minLength: 3, maxLength: 3, description: 'The currency of the value, by ISO 4217.' })),
};

export const createRule = operatorRoute({
  operation: 'createRule',
  method: 'POST',
  path: '/operator/v1/rules',
  tag: 'Rules',
  summary: 'Create a version of a rule',
  description: 'It takes effect at its start in every process. A version that a contribution has used never changes.',
  leastRole: operations.createRule.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  body: Type.Object(
    {
      kind: Kind,
      version: Type.String({ minLength: 1, maxLength: 64, description: 'The version label, unique within the kind.' }),
      partner_id: id('For whom it is; all partners without it.'),
      starts_at: Type.Optional(
        Type.String({ minLength: 20, maxLength: 40, description: 'When it takes effect; a minute from now without it.' }),
      ),
      ...ruleMembers,
      reviews_everything: Type.Optional(
        Type.Boolean({
          description: 'For a contribution rule: whether every contribution is pending until an operator decides.',
        }),
      ),
    },
    closed,
  ),
  answer: Rule,
  async handle({ tools, actor, work, body }) {
    const request = { ...requestOf(body), version: body.version, startsAt: readTime('starts_at', body.starts_at) };
    return work.answer(tools.database, (database) => operations.createRule(database, actor, request), describe);
  },
});

interface StatedRule {
  readonly kind: RuleKind;
  readonly partner_id?: string;
  readonly points_min?: string;
  readonly points_max?: string;
  readonly reviews_everything?: boolean;
  readonly review_threshold?: string;
  readonly daily_points_cap?: string;
  readonly daily_count_cap?: string;
  readonly point_value?: string;
  readonly tree_cost?: string;
  readonly currency?: string;
}

function requestOf(stated: StatedRule): Omit<RuleRequest, 'version'> {
  return {
    kind: stated.kind,
    partnerId: stated.partner_id,
    pointsMin: stated.points_min,
    pointsMax: stated.points_max,
    reviewsEverything: stated.reviews_everything,
    reviewThreshold: stated.review_threshold,
    dailyPointsCap: stated.daily_points_cap,
    dailyCountCap: stated.daily_count_cap,
    pointValue: stated.point_value,
    treeCost: stated.tree_cost,
    currency: stated.currency,
  };
}

const BeforeAfter = (description: string, value: (description: string) => TSchema) =>
  Type.Object(
    { before: value('The value as recorded; `null` where nothing is known.'), after: value('The value under the version.') },
    { ...closed, description },
  );

export const previewRule = operatorRoute({
  operation: 'previewRule',
  method: 'GET',
  path: '/operator/v1/rule-preview',
  tag: 'Rules',
  summary: 'Show what a version would have done to the contributions of the last calendar month',
  description:
    'It looks at the partners for which it would be in force, in the order of their ids, 500 at most; and of each at the contributions of the month that ended last by its calendar, the latest first, 20,000 of all together at most. Nothing is stored.',
  leastRole: 'viewer',
  deadlineMs: 20_000,
  query: Type.Object(
    {
      kind: Kind,
      partner_id: id('For whom it is; all partners without it.'),
      ...ruleMembers,
      reviews_everything: Type.Optional(oneOf(['true', 'false'], 'Whether every contribution would be reviewed.')),
      over: Type.Optional(
        oneOf(previews.PREVIEW_PERIODS, 'Over the last calendar month, or over the last 30 days; the month without it.'),
      ),
    },
    closed,
  ),
  answer: shape('RulePreview', {
    from: time('The beginning of the month or the days, for the first of the partners.'),
    to: time('The end of the month or the days, for the last of the partners.'),
    is_complete: flag('Whether all contributions between were looked at.'),
    partner_count: count('For how many partners it would be in force, as far as they were looked at.'),
    contribution_count: integerText('How many contributions were looked at; for a price without those that failed.'),
    points: integerText('Their points.'),
    reviewed_count: integerText('How many of them were reviewed.'),
    bands: listOf(
      shape('RuleBand', {
        outcome: oneOf(OUTCOMES, 'What would have become of them.'),
        count: integerText('How many.'),
        points: integerText('Their points.'),
      }),
      'For a contribution rule, what would have become of them; empty for another kind.',
    ),
    minor_units: minorUnits,
    amount: BeforeAfter(
      'What the points are worth, for a price; `null` where they have several currencies.',
      nullableDecimalText,
    ),
    amounts: listOf(
      shape('RuleAmount', {
        currency: text('The currency of the amounts.'),
        minor_units: minorUnits,
        before: nullableDecimalText('The value as recorded; `null` where nothing is known.'),
        after: nullableDecimalText('The value under the version; `null` where nothing is known.'),
      }),
      'For a price, what the points are worth in each currency; empty where no point has a value.',
    ),
    trees: BeforeAfter('The sum of the whole trees of each contribution, for a price.', nullableIntegerText),
  }),
  async handle({ tools: { database }, query }) {
    const { reviews_everything: everything, over = 'last_month', ...stated } = query;
    const rule = { ...stated, ...(everything !== undefined && { reviews_everything: everything === 'true' }) };
    const found = await previews.previewRule(database.pool, { ...requestOf(rule), version: PREVIEWED }, over);
    const money = (amount: bigint | null) => (amount === null ? null : amountText(amount));
    const amounts = found.amounts.map(({ currency, before, after }) => ({
      currency,
      minor_units: findMinorUnits(currency) ?? null,
      before: money(before),
      after: money(after),
    }));
    const [only] = amounts.length === 1 ? amounts : [];
    return {
      from: found.from,
      to: found.to,
      is_complete: found.isComplete,
      partner_count: found.partnerCount,
      contribution_count: found.count,
      points: found.points,
      reviewed_count: found.reviewedCount,
      bands: found.bands.map(({ outcome, count, points }) => ({ outcome, count, points })),
      minor_units: stated.currency === undefined ? null : (findMinorUnits(stated.currency) ?? null),
      amount: { before: only?.before ?? null, after: only?.after ?? null },
      amounts,
      trees: found.trees,
    };
  },
});

/** A label that no version has. */
const PREVIEWED = 'preview.of.a.version';

export const withdrawRule = operatorRoute({
  operation: 'withdrawRule',
  method: 'POST',
  path: '/operator/v1/rules/:kind/:version/withdraw',
  tag: 'Rules',
  summary: 'Withdraw a version that has not started, permanently',
  leastRole: operations.withdrawRule.leastRole,
  needsRecentSignIn: true,
  isFinal: true,
  params: Type.Object({ kind: Kind, version: Type.String({ description: 'The version label.' }) }),
  answer: Rule,
  handle: ({ tools, actor, work, params: { kind, version } }) =>
    work.answer(tools.database, (database) => operations.withdrawRule(database, actor, { kind, version }), describe),
});
