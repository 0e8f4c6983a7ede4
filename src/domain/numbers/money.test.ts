import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findMinorUnits } from './currency.ts';
import { amountOf, amountText, MONEY_DECIMALS, readAmount, readUnitPrice, totalText } from './money.ts';
import { POINTS_MAX } from './points.ts';

const amounts = fc.bigInt({ min: -(10n ** 45n), max: 10n ** 45n });
const currencies = fc.constantFrom('AED', 'SAR', 'QAR', 'KWD', 'BHD', 'OMR', 'JPY', 'CLF');

/** The amount that a text says, which the test holds to be readable. */
function amount(text: string): bigint {
  const read = readAmount(text);
  assert.ok(read !== undefined, text);
  return read;
}

test('settlements, section 1: the price of a point or a tree is a plain decimal above zero', () => {
  assert.equal(readUnitPrice('0.05'), 50_000_000_000n);
  assert.equal(readUnitPrice('0.000000000001'), 1n);
  assert.equal(readUnitPrice('20'), 20n * 10n ** 12n);
  assert.equal(readUnitPrice('999999999999.999999999999'), 10n ** 24n - 1n);
  const refused = [
    '0',
    '0.000',
    '-1',
    '1e3',
    '.5',
    '5.',
    '01',
    '0.0000000000001',
    '1000000000000',
    '',
    ' 1',
    `1.${'0'.repeat(30)}`,
  ];
  for (const text of refused) assert.equal(readUnitPrice(text), undefined, text);
});

test('settlements, section 2, amount: a line is points times the value of a point, exactly', () => {
  const pointValue = readUnitPrice('0.05') ?? 0n;
  assert.equal(amountText(amountOf(250n, pointValue)), '12.5');
  assert.equal(amountText(amountOf(-250n, pointValue)), '-12.5');
  assert.equal(amountText(amountOf(0n, pointValue)), '0');
  assert.equal(amountText(amountOf(POINTS_MAX, 1n)), '9223372.036854775807');
  const dearest = readUnitPrice('999999999999.999999999999') ?? 0n;
  assert.equal(amountText(amountOf(POINTS_MAX, dearest)), '9223372036854775806999990776627.963145224193');
});

test('settlements, section 2, amount: lines add up as they are, in any order', () => {
  fc.assert(
    fc.property(fc.array(amounts), (lines) => {
      const sum = (of: readonly bigint[]) => of.reduce((total, line) => total + line, 0n);
      assert.equal(sum(lines), sum(lines.toReversed()));
      assert.equal(sum(lines), sum(lines.map((line) => amount(amountText(line)))));
    }),
  );
});

test('settlements, section 2, amount: a total has the minor units of its currency, rounded half up', () => {
  const examples = [
    ['12.345', 'AED', '12.35'],
    ['12.344999999999', 'AED', '12.34'],
    ['12.345', 'KWD', '12.345'],
    ['12.3455', 'BHD', '12.346'],
    ['0.0005', 'OMR', '0.001'],
    ['12.5', 'JPY', '13'],
    ['12.499999999999', 'JPY', '12'],
    ['0', 'AED', '0.00'],
    ['0', 'JPY', '0'],
    ['41.5', 'SAR', '41.50'],
    ['-12.345', 'AED', '-12.35'],
    ['-12.344', 'QAR', '-12.34'],
    ['-0.005', 'AED', '-0.01'],
    ['-0.0049', 'AED', '0.00'],
    ['-12.5', 'JPY', '-13'],
  ] as const;
  for (const [exact, currency, total] of examples)
    assert.equal(totalText(amount(exact), currency), total, `${exact} ${currency}`);
});

test('settlements, section 2, amount: a total is the nearest of its currency, and a half goes away from zero', () => {
  fc.assert(
    fc.property(amounts, currencies, (exact, currency) => {
      const step = 10n ** BigInt(MONEY_DECIMALS - (findMinorUnits(currency) ?? 0));
      const difference = amount(totalText(exact, currency)) - exact;
      assert.ok(2n * (difference < 0n ? -difference : difference) <= step);
      if (2n * difference === step) assert.ok(exact > 0n);
      if (-2n * difference === step) assert.ok(exact < 0n);
      assert.equal(amount(totalText(-exact, currency)), -amount(totalText(exact, currency)));
    }),
  );
});

test('settlements, section 2, currency: a total in what is no currency is a defect', () => {
  for (const currency of ['aed', 'XXX', '']) assert.throws(() => totalText(1n, currency), RangeError);
});
