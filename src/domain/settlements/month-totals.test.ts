import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countMonth, type SettledSums } from './month-totals.ts';

const UNIT = 10n ** 12n;

function settled(points: bigint, amount: bigint | null, over: Partial<SettledSums> = {}): SettledSums {
  const sums = { contributionCount: 1n, adjustmentCount: 0n, grossPoints: points, adjustmentPoints: 0n, carriedPoints: 0n };
  return { currency: 'SAR', acknowledgement: 'pending', ...sums, netPoints: points, totalPoints: points, amount, ...over };
}

test('settlements, section 2: what is below zero is carried out, and nobody pays less for it', () => {
  const counter = countMonth();
  counter.add(settled(100n, 5n * UNIT));
  counter.add(settled(-40n, -2n * UNIT));
  const [total] = counter.totals().totals;
  assert.deepEqual(
    [total?.netPoints, total?.payablePoints, total?.carriedOutPoints, total?.payableAmount],
    [60n, 100n, -40n, 5n * UNIT],
  );
});

test('a settlement without lines has the amount 0 of its currency, and one whose lines have no price none', () => {
  const counter = countMonth();
  counter.add(settled(0n, null, { contributionCount: 0n }));
  counter.add(settled(7n, null, { acknowledgement: 'accepted' }));
  const { closedCount, answers, totals } = counter.totals();
  assert.deepEqual([closedCount, answers], [2, { pending: 1, accepted: 1, disputed: 0 }]);
  assert.deepEqual(
    totals.map(({ currency, settlementCount, payableAmount }) => [currency, settlementCount, payableAmount]),
    [
      ['SAR', 1, 0n],
      [null, 1, null],
    ],
  );
});
