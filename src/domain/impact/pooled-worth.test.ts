import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VersionTotals } from '../settlements/settlement-totals.ts';
import { countWorth } from './pooled-worth.ts';

const UNIT = 10n ** 12n;
const totals = (treeCostVersion: string, points: bigint, amount: bigint | null): VersionTotals => ({
  contributionRuleVersion: 'rule',
  pointConversionVersion: 'value',
  treeCostVersion,
  count: 1n,
  points,
  amount,
});
const COSTS = new Map([
  ['cost-1', 10n * UNIT],
  ['cost-2', 25n * UNIT],
]);

test('trees are those that the amount pays at the costs of the contributions, rounded down once for each cost', () => {
  const counter = countWorth(COSTS);
  counter.add({ currency: 'SAR', points: 1_900n, byVersion: [totals('cost-1', 1_900n, 19n * UNIT)] });
  counter.add({
    currency: 'SAR',
    points: 6_100n,
    byVersion: [totals('cost-1', 1_100n, 11n * UNIT), totals('cost-2', 5_000n, 49n * UNIT)],
  });
  assert.deepEqual(counter.worth(), [
    { currency: 'SAR', points: 8_000n, amount: 79n * UNIT, trees: 4n, treeCosts: [10n * UNIT, 25n * UNIT] },
  ]);
});

test('each currency has its own sums; points without a value, and values without a cost, have no trees', () => {
  const counter = countWorth(COSTS);
  counter.add({ currency: null, points: 2n ** 64n, byVersion: [totals('default-1', 2n ** 64n, null)] });
  counter.add({ currency: 'USD', points: 100n, byVersion: [totals('default-1', 100n, UNIT)] });
  counter.add({ currency: 'AED', points: -10n, byVersion: [totals('cost-1', -10n, -5n * UNIT)] });
  assert.deepEqual(counter.worth(), [
    { currency: 'AED', points: -10n, amount: -5n * UNIT, trees: 0n, treeCosts: [10n * UNIT] },
    { currency: 'USD', points: 100n, amount: UNIT, trees: null, treeCosts: [] },
    { currency: null, points: 2n ** 64n, amount: null, trees: null, treeCosts: [] },
  ]);
});
