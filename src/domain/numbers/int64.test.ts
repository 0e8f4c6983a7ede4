import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInt64 } from './int64.ts';

test('a whole number of 64 bits is from -9223372036854775808 to 9223372036854775807, and a bigint', () => {
  for (const value of [-(2n ** 63n), -1n, 0n, 2n ** 63n - 1n]) assert.equal(isInt64(value), true, String(value));
  for (const value of [-(2n ** 63n) - 1n, 2n ** 63n, 1, '1', null]) assert.equal(isInt64(value), false, String(value));
});
