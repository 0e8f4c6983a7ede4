import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  decimalText,
  fixedText,
  readDecimal,
  readSignedDecimal,
  roundHalfUp,
  signedDecimalText,
  signedFixedText,
} from './decimal.ts';

const scaledValues = fc.bigInt({ min: 0n, max: 10n ** 30n });
const decimalsUpTo8 = fc.integer({ min: 0, max: 8 });

test('decisions, section 2: a decimal is written without trailing zeros', () => {
  const examples: [bigint | number, number, string][] = [
    [0, 3, '0'],
    [0n, 0, '0'],
    [10, 0, '10'],
    [100, 0, '100'],
    [1, 3, '0.001'],
    [10, 3, '0.01'],
    [1000, 3, '1'],
    [100_000, 3, '100'],
    [14_323n, 2, '143.23'],
    [143_230_000, 5, '1432.3'],
    [9_223_372_036_854_775_807n, 2, '92233720368547758.07'],
  ];
  for (const [scaled, decimals, text] of examples) assert.equal(decimalText(scaled, decimals), text);
});

test('Estimate, display rule 1: a fixed decimal keeps its zeros', () => {
  assert.equal(fixedText(4150n, 2), '41.50');
  assert.equal(fixedText(1n, 2), '0.01');
  assert.equal(fixedText(0n, 2), '0.00');
  assert.equal(fixedText(7n, 0), '7');
});

test('decisions, section 2: what is not exact is never written', () => {
  for (const value of [-1, -1n, 1.5, 2 ** 53, NaN, Infinity]) assert.throws(() => decimalText(value, 2), RangeError);
});

test('Estimate, distance_km: only a plain decimal with few enough decimals is read', () => {
  const examples: [string, bigint][] = [
    ['0', 0n],
    ['0.0', 0n],
    ['12.5', 12_500n],
    ['12.500', 12_500n],
    ['200', 200_000n],
    ['0.001', 1n],
  ];
  for (const [text, scaled] of examples) assert.equal(readDecimal(text, 3), scaled, text);
  const refused = [
    '',
    ' ',
    '1 ',
    ' 1',
    '1\n',
    '+1',
    '-1',
    '-0',
    '007',
    '00',
    '00.5',
    '.5',
    '5.',
    '.',
    '1e2',
    '1E2',
    '0x10',
    '1,5',
    '1.2.3',
    '1_000',
  ];
  for (const text of [...refused, '٣', '１', 'NaN', 'Infinity', '1.2345', '1.0000'])
    assert.equal(readDecimal(text, 3), undefined, text);
});

test('decisions, section 2: what is written is read back as the same value', () => {
  fc.assert(
    fc.property(scaledValues, decimalsUpTo8, (scaled, decimals) => {
      const text = decimalText(scaled, decimals);
      assert.equal(readDecimal(text, decimals), scaled);
      assert.equal(readDecimal(fixedText(scaled, decimals), decimals), scaled);
      assert.ok(!text.includes('.') || !text.endsWith('0'));
    }),
  );
});

test('Estimate, display rule 1: rounding to two decimals is half up', () => {
  const twoDecimals = (text: string) => fixedText(roundHalfUp(readDecimal(text, 8) ?? -1n, 8, 2), 2);
  const examples = {
    '0.015': '0.02',
    '0.005': '0.01',
    '0.025': '0.03',
    '0.0149999': '0.01',
    '0.01500001': '0.02',
    '1.005': '1.01',
    '2.675': '2.68',
    '0.995': '1.00',
    '41.502': '41.50',
    '0.00499999': '0.00',
  };
  for (const [text, rounded] of Object.entries(examples)) assert.equal(twoDecimals(text), rounded, text);
});

test('Estimate, display rule 1: rounding half up equals its definition for every value', () => {
  fc.assert(
    fc.property(scaledValues, decimalsUpTo8, decimalsUpTo8, (scaled, from, fewer) => {
      const to = Math.min(from, fewer);
      const step = 10n ** BigInt(from - to);
      const isUp = 2n * (scaled % step) >= step && step > 1n;
      assert.equal(roundHalfUp(scaled, from, to), scaled / step + (isUp ? 1n : 0n));
    }),
  );
});

test('settlements, section 2: a signed decimal has a minus sign before its digits, and zero has none', () => {
  assert.equal(signedDecimalText(-14_323n, 2), '-143.23');
  assert.equal(signedDecimalText(-1000n, 3), '-1');
  assert.equal(signedDecimalText(0n, 3), '0');
  assert.equal(signedFixedText(-1n, 2), '-0.01');
  assert.equal(signedFixedText(0n, 2), '0.00');
  for (const text of ['-0', '-0.00', '--1', '-', '- 1', '+1', '-007', '-.5', '−1'])
    assert.equal(readSignedDecimal(text, 2), undefined, text);
});

test('settlements, section 2: a signed decimal that is written is read back as the same value', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), decimalsUpTo8, (scaled, decimals) => {
      assert.equal(readSignedDecimal(signedDecimalText(scaled, decimals), decimals), scaled);
      assert.equal(readSignedDecimal(signedFixedText(scaled, decimals), decimals), scaled);
    }),
  );
});

test('settlements, section 2: a half is rounded away from zero, so that a reversal rounds to the opposite', () => {
  assert.equal(roundHalfUp(-15n, 3, 2), -2n);
  assert.equal(roundHalfUp(-14n, 3, 2), -1n);
  assert.equal(roundHalfUp(-5n, 3, 2), -1n);
  assert.equal(roundHalfUp(-4n, 3, 2), 0n);
  fc.assert(
    fc.property(scaledValues, decimalsUpTo8, (scaled, from) => {
      assert.equal(roundHalfUp(-scaled, from, 0), -roundHalfUp(scaled, from, 0));
    }),
  );
});
