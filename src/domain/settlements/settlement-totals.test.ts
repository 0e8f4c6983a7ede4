import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readAmount } from '../numbers/money.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { LINE_TYPES } from './settlement-line.ts';
import {
  addAdjustment,
  type CountedLine,
  carriedForward,
  countTotals,
  removeAdjustment,
  type SettlementTotals,
  settlementAmount,
  type VersionTotals,
} from './settlement-totals.ts';

const labels = { contributionRuleVersion: 'points-1', pointConversionVersion: 'value-1', treeCostVersion: 'tree-1' };
const noLabels = { contributionRuleVersion: null, pointConversionVersion: null, treeCostVersion: null };
const amount = (text: string) => readAmount(text) ?? null;

const keys = ({ contributionRuleVersion, pointConversionVersion, treeCostVersion }: VersionTotals) => [
  ...[contributionRuleVersion, pointConversionVersion, treeCostVersion],
];

function sum(lines: readonly CountedLine[]): SettlementTotals {
  const counter = countTotals();
  for (const line of lines) counter.add(line);
  return counter.totals();
}

test('settlements, section 2, Fields: gross, adjustments and net, and the totals by version', () => {
  const totals = sum([
    { lineType: 'contribution', points: 250n, amount: amount('12.5'), ...labels },
    { lineType: 'contribution', points: 100n, amount: amount('5.005'), ...labels, pointConversionVersion: 'value-2' },
    { lineType: 'contribution', points: 7n, amount: null, ...labels, pointConversionVersion: 'default-1' },
    { lineType: 'adjustment', points: -50n, amount: amount('-2.5'), ...labels },
    { lineType: 'carried_forward', points: -10n, amount: amount('-0.5'), ...noLabels },
  ]);
  const { byVersion, ...rest } = totals;
  assert.deepEqual(rest, {
    contributionCount: 3n,
    adjustmentCount: 1n,
    grossPoints: 357n,
    adjustmentPoints: -50n,
    carriedPoints: -10n,
    netPoints: 307n,
    totalPoints: 297n,
    amount: amount('14.505'),
  });
  assert.deepEqual(byVersion, [
    { ...labels, pointConversionVersion: 'default-1', count: 1n, points: 7n, amount: null },
    { ...labels, count: 1n, points: 200n, amount: amount('10') },
    { ...labels, pointConversionVersion: 'value-2', count: 1n, points: 100n, amount: amount('5.005') },
  ]);
  assert.equal(settlementAmount(totals, 'AED'), '14.51');
  assert.equal(settlementAmount(totals, null), null);
});

test('settlements, section 2, amount: null without a conversion, and a period without activity adds up to nothing', () => {
  const totals = sum([{ lineType: 'contribution', points: 250n, amount: null, ...labels }]);
  assert.deepEqual([totals.amount, settlementAmount(totals, 'AED')], [null, null]);
  const empty = sum([]);
  assert.deepEqual([empty.netPoints, empty.amount, empty.byVersion, carriedForward(empty)], [0n, null, [], undefined]);
  assert.deepEqual([settlementAmount(empty, 'AED'), settlementAmount(empty, null)], ['0.00', null]);
});

test('settlements, section 2, amount: a negative net is carried forward, exactly and only as far as it is negative', () => {
  const carried = (totalPoints: bigint, owed: string | null) =>
    carriedForward({ ...sum([]), totalPoints, amount: owed === null ? null : amount(owed) });
  assert.deepEqual(carried(-5n, '-0.125'), { points: -5n, amount: amount('-0.125') });
  assert.deepEqual(carried(-5n, null), { points: -5n, amount: null });
  assert.deepEqual(carried(5n, '-0.125'), { points: 0n, amount: amount('-0.125') });
  assert.deepEqual(carried(-5n, '0.125'), { points: -5n, amount: 0n });
  for (const owed of ['0', '0.125', null]) assert.equal(carried(0n, owed), undefined);
});

test('settlements, section 2: totals do not depend on the order of lines, nor on how they are shared out, and pass int64', () => {
  const line = fc.record({
    lineType: fc.constantFrom(...LINE_TYPES),
    points: fc.bigInt({ min: -POINTS_MAX, max: POINTS_MAX }),
    amount: fc.option(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })),
    contributionRuleVersion: fc.constantFrom('points-1', 'points-2'),
    pointConversionVersion: fc.constantFrom('value-1', 'value-2'),
    treeCostVersion: fc.constant('tree-1'),
  });
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const totals = sum(lines);
      assert.deepEqual(sum(lines.toReversed()), totals);
      const { grossPoints, adjustmentPoints, carriedPoints, netPoints, totalPoints, byVersion } = totals;
      assert.deepEqual([netPoints, totalPoints], [grossPoints + adjustmentPoints, netPoints + carriedPoints]);
      assert.equal(
        byVersion.reduce((points, version) => points + version.points, 0n),
        totalPoints,
      );
      assert.equal(
        byVersion.reduce((count, version) => count + version.count, 0n),
        BigInt(lines.filter(({ lineType }) => lineType === 'contribution').length),
      );
      const amounts = byVersion.map((version) => version.amount).filter((each) => each !== null);
      assert.equal(amounts.length === 0 ? null : amounts.reduce((total, each) => total + each, 0n), totals.amount);
    }),
  );
  fc.assert(
    fc.property(fc.array(line), line, (lines, last) => {
      const totals = sum([...lines, { ...last, lineType: 'adjustment' }]);
      const added = addAdjustment(sum(lines), last);
      const byVersion = added.byVersion.toSorted((one, other) =>
        JSON.stringify(keys(one)) < JSON.stringify(keys(other)) ? -1 : 1,
      );
      assert.deepEqual({ ...added, byVersion }, totals);
    }),
  );
  const largest: CountedLine = { lineType: 'contribution', points: POINTS_MAX, amount: null, ...labels };
  assert.equal(sum([largest, largest]).grossPoints, 2n * POINTS_MAX);
});

test('settlements, section 2, amount: of one adjustment without a value there is none; without it the settlement comes to 0', () => {
  const adjustment = { lineType: 'adjustment', points: -50n, amount: null, ...labels } as const;
  const drafted = addAdjustment(sum([]), adjustment);
  assert.deepEqual([drafted.adjustmentCount, settlementAmount(drafted, 'SAR')], [1n, null]);
  const before = removeAdjustment(sum([adjustment]), adjustment);
  assert.deepEqual([before.adjustmentCount, before.netPoints, settlementAmount(before, 'SAR')], [0n, 0n, '0.00']);
  const contribution: CountedLine = { lineType: 'contribution', points: 70n, amount: amount('3.5'), ...labels };
  for (const owed of [null, amount('-2.5')]) {
    const line = { ...adjustment, amount: owed };
    assert.deepEqual(removeAdjustment(sum([contribution, line]), line), sum([contribution]));
  }
});
