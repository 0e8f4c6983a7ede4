import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VersionTotals } from '../settlements/settlement-totals.ts';
import { countWorth, type WorthSource } from './pooled-worth.ts';

const UNIT = 10n ** 12n;
const MILLI = 10n ** 9n;
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

/** A settlement whose amount is that of its versions, with what is carried in. */
const settlement = (currency: string | null, byVersion: readonly VersionTotals[], carriedIn = 0n): WorthSource => {
  const amounts = byVersion.flatMap(({ amount }) => (amount === null ? [] : [amount]));
  return {
    currency,
    points: byVersion.reduce((sum, { points }) => sum + points, 0n),
    amount: amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount, carriedIn),
    byVersion,
  };
};
const share = (cost: bigint, amount: bigint) => ({ cost: cost * UNIT, amount: amount * UNIT });

test('trees are those that the amount pays at the costs of the contributions, rounded down once for each cost', () => {
  const counter = countWorth(COSTS);
  counter.add(settlement('SAR', [totals('cost-1', 1_900n, 19n * UNIT)]));
  counter.add(settlement('SAR', [totals('cost-1', 1_100n, 11n * UNIT), totals('cost-2', 5_000n, 49n * UNIT)]));
  assert.deepEqual(counter.worth(), [
    { currency: 'SAR', points: 8_000n, amount: 79n * UNIT, trees: 4n, treeShares: [share(10n, 30n), share(25n, 49n)] },
  ]);
});

test('versions with one cost are rounded down together', () => {
  const counter = countWorth(new Map([...COSTS, ['cost-1-again', 10n * UNIT]]));
  counter.add(settlement('SAR', [totals('cost-1', 500n, 5n * UNIT), totals('cost-1-again', 500n, 5n * UNIT)]));
  assert.deepEqual(counter.worth()[0]?.trees, 1n);
});

test('what is carried in pays for no tree, and a settlement that comes to nothing pays for none', () => {
  const counter = countWorth(COSTS);
  counter.add(settlement('SAR', [totals('cost-1', 6_310n, 63_100n * MILLI)], -67_100n * MILLI));
  assert.deepEqual([counter.worth()[0]?.amount, counter.worth()[0]?.trees], [0n, 0n]);
  counter.add(settlement('SAR', [totals('cost-1', 3_000n, 30n * UNIT), totals('cost-2', 5_000n, 50n * UNIT)], -15n * UNIT));
  assert.deepEqual(counter.worth(), [
    { currency: 'SAR', points: 14_310n, amount: 65n * UNIT, trees: 3n, treeShares: [share(10n, 15n), share(25n, 50n)] },
  ]);
});

test('an adjustment under another version takes from what pays for trees', () => {
  const counter = countWorth(COSTS);
  counter.add(settlement('SAR', [totals('cost-1', 3_000n, 30n * UNIT), totals('cost-2', -1_000n, -25n * UNIT)]));
  assert.deepEqual([counter.worth()[0]?.amount, counter.worth()[0]?.trees], [5n * UNIT, 0n]);
});

test('amounts are those that are billed, so that they add up to what partners pay', () => {
  const counter = countWorth(COSTS);
  for (let count = 0; count < 3; count++) counter.add(settlement('SAR', [totals('cost-1', 1n, 333n * (MILLI / 100n))]));
  assert.equal(counter.worth()[0]?.amount, 0n);
  for (let count = 0; count < 3; count++) counter.add(settlement('KWD', [totals('cost-1', 1n, 1_005n * (MILLI / 10n))]));
  assert.equal(counter.worth()[0]?.amount, 303n * MILLI);
});

test('each currency has its own sums; points without a value, and values without a cost, have no trees', () => {
  const counter = countWorth(COSTS);
  counter.add(settlement(null, [totals('default-1', 2n ** 64n, null), totals('cost-1', 1n, null)]));
  counter.add(settlement('USD', [totals('default-1', 100n, UNIT)]));
  counter.add(settlement('AED', [totals('cost-1', -10n, -5n * UNIT)]));
  assert.deepEqual(counter.worth(), [
    { currency: 'AED', points: -10n, amount: 0n, trees: 0n, treeShares: [share(10n, 0n)] },
    { currency: 'USD', points: 100n, amount: UNIT, trees: null, treeShares: [] },
    { currency: null, points: 2n ** 64n + 1n, amount: null, trees: null, treeShares: [] },
  ]);
});

test('trees are not known as soon as a part of what is paid has no cost, in one settlement or among several', () => {
  const mixed = countWorth(COSTS);
  mixed.add(settlement('SAR', [totals('cost-1', 3_000n, 30n * UNIT), totals('default-1', 1_000n, 10n * UNIT)]));
  assert.deepEqual(mixed.worth(), [
    { currency: 'SAR', points: 4_000n, amount: 40n * UNIT, trees: null, treeShares: [share(10n, 30n)] },
  ]);
  const among = countWorth(COSTS);
  among.add(settlement('SAR', [totals('default-1', 1_000n, 10n * UNIT)]));
  among.add(settlement('SAR', [totals('cost-1', 3_000n, 30n * UNIT)]));
  among.add(settlement('AED', [totals('cost-1', 3_000n, 30n * UNIT)]));
  assert.deepEqual(
    among.worth().map(({ currency, trees }) => [currency, trees]),
    [
      ['AED', 3n],
      ['SAR', null],
    ],
  );
});

test('what has no cost and is not paid leaves the trees known', () => {
  const counter = countWorth(COSTS);
  counter.add(settlement('SAR', [totals('cost-1', 3_000n, 30n * UNIT), totals('default-1', -500n, -5n * UNIT)]));
  counter.add(settlement('SAR', [totals('default-1', 1_000n, 10n * UNIT)], -10n * UNIT));
  assert.deepEqual(counter.worth(), [
    { currency: 'SAR', points: 3_500n, amount: 25n * UNIT, trees: 2n, treeShares: [share(10n, 25n)] },
  ]);
});

test('a currency in which nothing is paid, at no known cost, has no tree, and leaves the trees of others with it known', () => {
  const alone = countWorth(COSTS);
  alone.add(settlement('SAR', [totals('default-1', 1_000n, 10n * UNIT)], -10n * UNIT));
  assert.deepEqual(alone.worth(), [{ currency: 'SAR', points: 1_000n, amount: 0n, trees: 0n, treeShares: [] }]);
  const beside = countWorth(COSTS);
  beside.add(settlement('SAR', [totals('cost-1', 3_000n, 30n * UNIT)]));
  beside.add(settlement('SAR', [totals('default-1', 1_000n, 10n * UNIT)], -10n * UNIT));
  assert.equal(beside.worth()[0]?.trees, (alone.worth()[0]?.trees ?? 0n) + 3n);
});
