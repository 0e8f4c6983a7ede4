import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPoints, POINTS_MAX } from './points.ts';

test('confirmContribution, points: every whole number from 1 to the end of int64 is accepted', () => {
  assert.equal(POINTS_MAX, 2n ** 63n - 1n);
  for (const points of [1n, 2n, 9_007_199_254_740_993n, POINTS_MAX]) assert.ok(isPoints(points), String(points));
  fc.assert(fc.property(fc.bigInt({ min: 1n, max: POINTS_MAX }), isPoints));
});

test('confirmContribution, points: zero, negative, fractional, malformed and too large values are refused', () => {
  for (const value of [0n, -1n, -POINTS_MAX, POINTS_MAX + 1n, 10n ** 30n]) assert.ok(!isPoints(value), String(value));
  for (const value of [1, 100, 1.5, NaN, Infinity, '100', '', null, undefined, true, {}, [1n]])
    assert.ok(!isPoints(value), String(value));
});
