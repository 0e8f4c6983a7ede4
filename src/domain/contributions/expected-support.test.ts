import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readUnitPrice } from '../numbers/money.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { DEFAULT_RULES } from '../rules/contribution-rules.ts';
import { expectedSupport, expectedTrees } from './expected-support.ts';

const price = (text: string) => readUnitPrice(text) ?? null;
const rules = (pointValue: string, treeCost: string) => ({
  ...DEFAULT_RULES,
  pointValue: price(pointValue),
  treeCost: price(treeCost),
});

test('settlements, section 1, expected support: points times value, divided by the cost of a tree, rounded down', () => {
  assert.equal(expectedTrees(250n, rules('0.05', '4')), 3n);
  assert.equal(expectedTrees(80n, rules('0.05', '4')), 1n);
  assert.equal(expectedTrees(79n, rules('0.05', '4')), 0n);
  assert.equal(
    expectedTrees(3n, rules('0.1', '0.3')),
    1n,
    'in floats 3 times 0.1 is more than 0.3, and 0.3 divided by 0.1 less than 3',
  );
  assert.equal(expectedTrees(POINTS_MAX, rules('1', '1')), POINTS_MAX);
  assert.equal(expectedTrees(POINTS_MAX, rules('1', '1.000000000001')), 9_223_372_036_845_552_434n);
});

test('settlements, section 1, expected support: the whole trees are paid, and one more would not be', () => {
  const prices = fc.bigInt({ min: 1n, max: 10n ** 24n - 1n });
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: POINTS_MAX }), prices, prices, (points, pointValue, treeCost) => {
      const trees = expectedTrees(points, { ...DEFAULT_RULES, pointValue, treeCost }) ?? -1n;
      assert.ok(trees * treeCost <= points * pointValue);
      assert.ok((trees + 1n) * treeCost > points * pointValue);
    }),
  );
});

test('settlements, section 1, expected support: without a value or a cost no number of trees is named', () => {
  const without = 'This contribution of 250 points is expected to support tree planting.';
  assert.equal(expectedSupport(250n, DEFAULT_RULES).summaryEn, without);
  assert.equal(expectedSupport(250n, { ...DEFAULT_RULES, pointValue: 1n }).summaryEn, without);
  assert.equal(expectedSupport(250n, { ...DEFAULT_RULES, treeCost: 1n }).summaryEn, without);
});

test('settlements, section 1, expected support: the texts of arabic.md for trees, and for less than one', () => {
  const { summaryEn, summaryAr } = expectedSupport(250n, rules('0.05', '4'));
  assert.equal(summaryEn, 'This contribution of 250 points is expected to support planting about 3 trees.');
  assert.equal(summaryAr, 'يُتوقَّع أن تدعم هذه المساهمة، وقدرها 250 نقطة، زراعة 3 أشجار تقريبًا.');
  assert.equal(
    expectedSupport(5n, rules('0.05', '4')).summaryEn,
    'This contribution of 5 points is expected to cover part of the cost of planting one tree.',
  );
});
