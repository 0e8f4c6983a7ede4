import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { POINTS_MAX } from '../numbers/points.ts';
import {
  type ContributionRules,
  DEFAULT_RULES,
  hasDailyCap,
  isWithinBounds,
  NOTHING_COUNTED,
  reviewReason,
} from './contribution-rules.ts';

const points = fc.bigInt({ min: 1n, max: POINTS_MAX });
const rulesWith = (rules: Partial<ContributionRules>): ContributionRules => ({ ...DEFAULT_RULES, ...rules });

test('settlements, section 1: without rules of an operator every amount is confirmed at once, and nothing is converted', () => {
  fc.assert(
    fc.property(points, points, (amount, counted) => {
      assert.ok(isWithinBounds(amount, DEFAULT_RULES));
      assert.equal(reviewReason(amount, DEFAULT_RULES, { points: counted, contributions: counted }), undefined);
    }),
  );
  assert.deepEqual([DEFAULT_RULES.pointValue, DEFAULT_RULES.treeCost, hasDailyCap(DEFAULT_RULES)], [null, null, false]);
  const { contributionRuleVersion, pointConversionVersion, treeCostVersion } = DEFAULT_RULES;
  assert.deepEqual([contributionRuleVersion, pointConversionVersion, treeCostVersion], Array(3).fill('default-1'));
});

test('settlements, section 1: both bounds are inclusive', () => {
  const rules = rulesWith({ pointsMin: 10n, pointsMax: 1_000n });
  const within = [9n, 10n, 1_000n, 1_001n].map((amount) => isWithinBounds(amount, rules));
  assert.deepEqual(within, [false, true, true, false]);
});

test('decisions, section 4: points at or above the review threshold are pending', () => {
  const rules = rulesWith({ reviewThreshold: 500n });
  assert.equal(reviewReason(499n, rules, NOTHING_COUNTED), undefined);
  for (const amount of [500n, POINTS_MAX]) assert.equal(reviewReason(amount, rules, NOTHING_COUNTED), 'review_threshold');
});

test('decisions, section 4: a cap may be reached exactly, and what would pass it is pending', () => {
  const byPoints = rulesWith({ dailyPointsCap: 1_000n });
  assert.equal(reviewReason(400n, byPoints, { points: 600n, contributions: 9n }), undefined);
  assert.equal(reviewReason(401n, byPoints, { points: 600n, contributions: 9n }), 'daily_points_cap');
  const byCount = rulesWith({ dailyCountCap: 3n });
  assert.equal(reviewReason(1n, byCount, { points: 0n, contributions: 2n }), undefined);
  assert.equal(reviewReason(1n, byCount, { points: 0n, contributions: 3n }), 'daily_count_cap');
  assert.ok(hasDailyCap(byPoints) && hasDailyCap(byCount));
  const counted = { points: POINTS_MAX, contributions: 1n };
  assert.equal(reviewReason(POINTS_MAX, rulesWith({ dailyPointsCap: POINTS_MAX }), counted), 'daily_points_cap');
});

test('decisions, section 4: where all are reviewed, everything is pending', () => {
  fc.assert(
    fc.property(
      points,
      (amount) => reviewReason(amount, rulesWith({ reviewsEverything: true }), NOTHING_COUNTED) === 'reviews_everything',
    ),
  );
});
