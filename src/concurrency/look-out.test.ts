import assert from 'node:assert/strict';
import { test } from 'node:test';
import { restAfter } from './look-out.ts';

test('a look is followed by a pause of four times its duration, which is neither short nor endless', () => {
  const limits = { leastMs: 500, mostMs: 5_000 };
  const pauses = [0, 124, 125, 300, 1_250, 60_000].map((lookMs) => restAfter(lookMs, limits));
  assert.deepEqual(pauses, [500, 500, 500, 1_200, 5_000, 5_000]);
});
