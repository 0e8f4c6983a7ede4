import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from './contribution-rules.ts';
import { openRulePreview, type PreviewedContribution } from './preview-rule.ts';
import type { RuleVersion } from './rule-versions.ts';

const HEAD = { version: 'next', startsAt: new Date(0), partnerId: null };
const UNIT = 10n ** 12n;
const rule = (over: object): RuleVersion => ({
  ...HEAD,
  kind: 'contribution_rule',
  pointsMin: 10n,
  pointsMax: 1_000n,
  reviewsEverything: false,
  reviewThreshold: null,
  dailyPointsCap: null,
  dailyCountCap: null,
  ...over,
});
const of = (points: bigint, over: Partial<PreviewedContribution> = {}): PreviewedContribution => ({
  points,
  wasReviewed: false,
  isFailed: false,
  day: '2026-11-01',
  pointValue: null,
  currency: null,
  treeCost: null,
  ...over,
});
const preview = (candidate: RuleVersion, ...contributions: PreviewedContribution[]) => {
  const previewer = openRulePreview(candidate, DEFAULT_RULES);
  previewer.beginPartner();
  for (const each of contributions) previewer.add(each);
  return previewer.preview();
};

test('contributions fall into bands: out of bounds, beyond the threshold, beyond the cap of their day, or confirmed', () => {
  const contributions = [
    of(5n),
    of(50n),
    of(60n),
    of(700n, { wasReviewed: true }),
    of(80n),
    of(80n, { day: '2026-11-02' }),
    of(2_000n),
  ];
  const { bands, count, reviewedCount, points } = preview(
    rule({ reviewThreshold: 500n, dailyPointsCap: 850n }),
    ...contributions,
  );
  assert.deepEqual([count, reviewedCount, points], [7n, 1n, 2_975n]);
  assert.deepEqual(bands, [
    { outcome: 'confirmed', count: 3n, points: 190n },
    { outcome: 'review_threshold', count: 1n, points: 700n },
    { outcome: 'daily_points_cap', count: 1n, points: 80n },
    { outcome: 'out_of_bounds', count: 2n, points: 2_005n },
  ]);
});

test('a cap counts for each partner by itself', () => {
  const previewer = openRulePreview(rule({ dailyCountCap: 1n }), DEFAULT_RULES);
  for (let partner = 0; partner < 2; partner++) {
    previewer.beginPartner();
    previewer.add(of(50n));
  }
  assert.deepEqual(previewer.preview().bands, [{ outcome: 'confirmed', count: 2n, points: 100n }]);
});

test('a price: what the points are worth and how many trees that is, as recorded and under the version', () => {
  const priced = [of(1_000n, { pointValue: UNIT / 100n, currency: 'SAR', treeCost: 4n * UNIT }), of(100n)];
  const { amounts, trees, bands } = preview(
    { ...HEAD, kind: 'point_conversion', pointValue: UNIT / 50n, currency: 'SAR' },
    ...priced,
  );
  assert.deepEqual(
    [amounts, trees, bands],
    [[{ currency: 'SAR', before: 10n * UNIT, after: 22n * UNIT }], { before: 2n, after: 5n }, []],
  );
  const cost = preview({ ...HEAD, kind: 'tree_cost', treeCost: 5n * UNIT, currency: 'SAR' }, ...priced);
  assert.deepEqual(
    [cost.amounts, cost.trees],
    [[{ currency: 'SAR', before: 10n * UNIT, after: 10n * UNIT }], { before: 2n, after: 2n }],
  );
});

test('what failed is worth nothing, is no tree, and takes no place under a cap; a rule would still review it', () => {
  const failed = of(1_000n, { isFailed: true, wasReviewed: true, pointValue: UNIT, currency: 'SAR', treeCost: UNIT });
  const priced = of(20n, { pointValue: UNIT, currency: 'SAR', treeCost: UNIT });
  const value = preview({ ...HEAD, kind: 'point_conversion', pointValue: UNIT, currency: 'SAR' }, failed, priced);
  assert.deepEqual(value.amounts, [{ currency: 'SAR', before: 20n * UNIT, after: 20n * UNIT }]);
  assert.deepEqual([value.trees, value.count, value.points], [{ before: 20n, after: 20n }, 1n, 20n]);
  for (const cap of [{ dailyPointsCap: 1_000n }, { dailyCountCap: 1n }])
    assert.deepEqual(preview(rule({ ...cap, reviewThreshold: 1_000n }), failed, priced).bands, [
      { outcome: 'confirmed', count: 1n, points: 20n },
      { outcome: 'review_threshold', count: 1n, points: 1_000n },
    ]);
});

test('a version without a price is for partners of every currency: each has its own amounts', () => {
  const priced = ['SAR', 'AED', 'SAR'].map((currency) => of(1_000n, { pointValue: UNIT / 100n, currency, treeCost: 4n * UNIT }));
  const none = { currency: null, ...HEAD };
  const value = preview({ ...none, kind: 'point_conversion', pointValue: null }, ...priced);
  assert.deepEqual(value.amounts, [
    { currency: 'AED', before: 10n * UNIT, after: null },
    { currency: 'SAR', before: 20n * UNIT, after: null },
  ]);
  const cost = preview({ ...none, kind: 'tree_cost', treeCost: null }, ...priced);
  assert.deepEqual(cost.amounts, [
    { currency: 'AED', before: 10n * UNIT, after: 10n * UNIT },
    { currency: 'SAR', before: 20n * UNIT, after: 20n * UNIT },
  ]);
});
