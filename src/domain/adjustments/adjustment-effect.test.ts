import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { POINTS_MAX } from '../numbers/points.ts';
import { settledPointsAfter } from './adjustment-effect.ts';

test('settlements, section 3: settled points stay within 0 and the points of the contribution', () => {
  assert.equal(settledPointsAfter(250n, 250n, -250n), 0n);
  assert.equal(settledPointsAfter(250n, 250n, -251n), undefined);
  assert.equal(settledPointsAfter(250n, 250n, 1n), undefined);
  assert.equal(settledPointsAfter(250n, 0n, 250n), 250n);
  assert.equal(settledPointsAfter(250n, 100n, 0n), 100n);
});

test('settlements, section 3: however many adjustments there are, settled points are the sum of what was posted, within bounds', () => {
  const points = fc.bigInt({ min: 1n, max: POINTS_MAX });
  const deltas = fc.array(fc.oneof(fc.bigInt({ min: -20n, max: 20n }), fc.bigInt({ min: -POINTS_MAX, max: POINTS_MAX })));
  fc.assert(
    fc.property(fc.oneof(points, fc.bigInt({ min: 1n, max: 40n })), deltas, (amount, drawn) => {
      let settled = amount;
      let posted = 0n;
      for (const delta of drawn) {
        const after = settledPointsAfter(amount, settled, delta);
        assert.equal(after === undefined, settled + delta < 0n || settled + delta > amount);
        if (after === undefined) continue;
        posted += delta;
        settled = after;
        assert.ok(settled >= 0n && settled <= amount);
        assert.equal(settledPointsAfter(amount, settled, -delta), settled - delta, 'what was posted can be taken back');
      }
      assert.equal(settled, amount + posted);
    }),
  );
});
