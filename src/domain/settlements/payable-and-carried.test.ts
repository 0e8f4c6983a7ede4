import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findMinorUnits } from '../numbers/currency.ts';
import { readSignedDecimal } from '../numbers/decimal.ts';
import { readAmount } from '../numbers/money.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { amountFigures, type Figures, pointFigures } from './payable-and-carried.ts';
import { type CountedLine, carriedForward, countTotals, type SettlementTotals, settlementAmount } from './settlement-totals.ts';

const labels = { contributionRuleVersion: 'points-1', pointConversionVersion: 'value-1', treeCostVersion: 'tree-1' };
const noLabels = { contributionRuleVersion: null, pointConversionVersion: null, treeCostVersion: null };

/** Closes months in a row. Each begins with a line that carries forward what the month before left. */
function closeMonths(months: readonly (readonly CountedLine[])[]): SettlementTotals[] {
  const closed: SettlementTotals[] = [];
  for (const lines of months) {
    const previous = closed.at(-1);
    const carried = previous && carriedForward(previous);
    const counter = countTotals();
    if (carried) counter.add({ lineType: 'carried_forward', ...carried, ...noLabels });
    for (const line of lines) counter.add(line);
    closed.push(counter.totals());
  }
  return closed;
}

/** A line of so many points at a price, in the settlement's own arithmetic. */
const line = (points: bigint, price: bigint | null): CountedLine => ({
  lineType: points > 0n ? 'contribution' : 'adjustment',
  points,
  ...labels,
  amount: price === null ? null : points * price,
});

function assertAddsUp(months: readonly Figures<bigint>[]): void {
  let [net, payable, carriedOut] = [0n, 0n, 0n];
  for (const figures of months) {
    assert.equal(figures.carriedIn, carriedOut);
    assert.equal(figures.carriedIn + figures.net, figures.payable + figures.carriedOut);
    assert.ok(figures.carriedIn <= 0n && figures.payable >= 0n && figures.carriedOut <= 0n);
    assert.ok(figures.payable === 0n || figures.carriedOut === 0n);
    ({ carriedOut } = figures);
    net += figures.net;
    payable += figures.payable;
    assert.equal(net, payable + carriedOut, 'over all months so far');
  }
}

function inMinorUnits({ carriedIn, net, payable, carriedOut }: Figures<string>, currency: string): Figures<bigint> {
  const read = (text: string) => readSignedDecimal(text, findMinorUnits(currency) as number) as bigint;
  return { carriedIn: read(carriedIn), net: read(net), payable: read(payable), carriedOut: read(carriedOut) };
}

test('decisions, section 9: over any months the four figures of points and of amount add up, in every currency and over int64', () => {
  const points = fc.oneof(fc.bigInt({ min: -400n, max: 400n }), fc.bigInt({ min: -POINTS_MAX, max: POINTS_MAX }));
  const price = fc.oneof(fc.constant(null), fc.bigInt({ min: 1n, max: 10n ** 11n }), fc.constant(10n ** 24n - 1n));
  const month = fc.array(
    fc.tuple(points, price).map(([some, each]) => line(some, each)),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(fc.array(month, { maxLength: 14 }), fc.constantFrom('AED', 'KWD', 'JPY', 'CLF'), (months, currency) => {
      const closed = closeMonths(months);
      assertAddsUp(closed.map(pointFigures));
      const amounts = closed.map((totals) => amountFigures(totals, currency));
      for (const [index, figures] of amounts.entries())
        assert.equal(figures === null, settlementAmount(closed[index] as SettlementTotals, currency) === null);
      assertAddsUp(amounts.filter((figures) => figures !== null).map((figures) => inMinorUnits(figures, currency)));
      assert.ok(closed.every((totals) => amountFigures(totals, null) === null));
    }),
    { numRuns: 500 },
  );
});

test('decisions, section 9: three months, of which the second takes back more than it gives', () => {
  const price = readAmount('0.0015') as bigint;
  const months = closeMonths([[line(1_001n, price)], [line(-1_001n, price), line(7n, price)], [line(2_000n, price)]]);
  assert.deepEqual(months.map(pointFigures), [
    { carriedIn: 0n, net: 1_001n, payable: 1_001n, carriedOut: 0n },
    { carriedIn: 0n, net: -994n, payable: 0n, carriedOut: -994n },
    { carriedIn: -994n, net: 2_000n, payable: 1_006n, carriedOut: 0n },
  ]);
  assert.deepEqual(
    months.map((totals) => amountFigures(totals, 'KWD')),
    [
      { carriedIn: '0.000', net: '1.502', payable: '1.502', carriedOut: '0.000' },
      { carriedIn: '0.000', net: '-1.491', payable: '0.000', carriedOut: '-1.491' },
      { carriedIn: '-1.491', net: '3.000', payable: '1.509', carriedOut: '0.000' },
    ],
  );
});

test('decisions, section 9: the earlier `amount` is what is payable, or what is carried out', () => {
  const price = readAmount('0.5') as bigint;
  const [positive, negative, none] = closeMonths([[line(3n, price)], [line(-7n, price)], []]) as [
    SettlementTotals,
    SettlementTotals,
    SettlementTotals,
  ];
  assert.deepEqual([settlementAmount(positive, 'AED'), amountFigures(positive, 'AED')?.payable], ['1.50', '1.50']);
  assert.deepEqual([settlementAmount(negative, 'AED'), amountFigures(negative, 'AED')?.carriedOut], ['-3.50', '-3.50']);
  assert.deepEqual([settlementAmount(none, 'AED'), amountFigures(none, 'AED')?.net], ['-3.50', '0.00']);
});
