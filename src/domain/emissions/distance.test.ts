import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DISTANCE_MAX_METRES, distanceText, readDistanceKm } from './distance.ts';

test('createDeliveryEmissionsEstimate, distance_km: greater than 0 and at most 200, with at most three decimals', () => {
  const accepted = {
    '0.001': 1,
    '0.01': 10,
    '0.1': 100,
    '1': 1000,
    '12.5': 12_500,
    '12.50': 12_500,
    '12.345': 12_345,
    '199.999': 199_999,
    '200': 200_000,
    '200.000': 200_000,
  };
  for (const [text, distanceMetres] of Object.entries(accepted)) assert.equal(readDistanceKm(text), distanceMetres, text);
  for (const text of [
    '0',
    '0.0',
    '0.000',
    '200.001',
    '200.1',
    '201',
    '1000',
    '99999999999999999999',
    '0.0001',
    '1.0000',
    '12.3456',
  ]) {
    assert.equal(readDistanceKm(text), undefined, text);
  }
});

test('invalid_distance: sign, exponent, blank, leading zeros, ".5" and "5." are refused', () => {
  for (const text of [
    '+1',
    '-1',
    '-0.5',
    '1e1',
    '1E1',
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '007',
    '00',
    '01.5',
    '.5',
    '5.',
    '.',
    '1,5',
    '0x1',
    '١٢',
    '1km',
  ]) {
    assert.equal(readDistanceKm(text), undefined, text);
  }
});

test('invalid_distance: a JSON number, or anything else that is not a string, is refused', () => {
  for (const value of [1, 12.5, 1n, null, undefined, true, {}, ['1']]) assert.equal(readDistanceKm(value), undefined);
});

test('createDeliveryEmissionsEstimate, distance_km: every distance is read back from its one text, and from that with more zeros', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: DISTANCE_MAX_METRES }), (distanceMetres) => {
      const text = distanceText(distanceMetres);
      assert.equal(readDistanceKm(text), distanceMetres);
      assert.equal(readDistanceKm((distanceMetres / 1000).toFixed(3)), distanceMetres);
      assert.ok(!/\.\d*0$/.test(text));
    }),
  );
});

test('Common request headers, idempotency rule 1: 12.50 and 12.5 are one distance', () => {
  assert.equal(distanceText(readDistanceKm('12.50') ?? 0), '12.5');
  assert.equal(distanceText(readDistanceKm('200.000') ?? 0), '200');
});
