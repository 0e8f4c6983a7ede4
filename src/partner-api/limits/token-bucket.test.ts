import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

const POLICY = { perSecond: 100, capacity: 200 };

function takeAll(bucket: TokenBucket, nowMs: number, policy = POLICY): number {
  let taken = 0;
  while (taken < 10_000_000 && bucket.take(policy, nowMs).isTaken) taken++;
  return taken;
}

describe('TokenBucket', () => {
  test('after rest gives its whole capacity at once, and no more', () => {
    const bucket = new TokenBucket();
    assert.equal(takeAll(bucket, 0), 200);
    assert.equal(takeAll(bucket, 2_000), 200);
    assert.equal(takeAll(bucket, 1_000_000_000), 200);
  });

  test('then gives its rate, however often it is asked', () => {
    const bucket = new TokenBucket();
    takeAll(bucket, 0);
    let taken = 0;
    for (let nowMs = 1; nowMs <= 10_000; nowMs++) taken += takeAll(bucket, nowMs);
    assert.equal(taken, 1_000);
  });

  test('asked beyond it, gives as much later as if nobody had asked', () => {
    const bucket = new TokenBucket();
    takeAll(bucket, 0);
    for (let nowMs = 0; nowMs < 500; nowMs++) bucket.take(POLICY, nowMs / 1_000);
    assert.equal(takeAll(bucket, 500), 50);
  });

  test('says how long what it owes takes to come in', () => {
    const bucket = new TokenBucket();
    bucket.take({ perSecond: 2, capacity: 4 }, 0);
    bucket.charge(3);
    assert.equal(bucket.owedMs, 0);
    bucket.charge(3);
    assert.equal(bucket.owedMs, 1_500);
    bucket.take({ perSecond: 2, capacity: 4 }, 1_000);
    assert.equal(bucket.owedMs, 500);
  });

  test('says how many are left, and how long until the next', () => {
    const bucket = new TokenBucket();
    assert.deepEqual(bucket.take({ perSecond: 1, capacity: 2 }, 0), { isTaken: true, left: 1, waitMs: 0 });
    assert.deepEqual(bucket.take({ perSecond: 1, capacity: 2 }, 0), { isTaken: true, left: 0, waitMs: 1_000 });
    assert.deepEqual(bucket.take({ perSecond: 1, capacity: 2 }, 250), { isTaken: false, left: 0, waitMs: 750 });
    assert.equal(bucket.take({ perSecond: 1, capacity: 2 }, 1_000).isTaken, true);
  });

  test('what is charged besides is waited for', () => {
    const bucket = new TokenBucket();
    assert.equal(bucket.take({ perSecond: 1, capacity: 2 }, 0).isTaken, true);
    bucket.charge(3);
    assert.deepEqual(bucket.take({ perSecond: 1, capacity: 2 }, 0), { isTaken: false, left: 0, waitMs: 3_000 });
    assert.equal(bucket.take({ perSecond: 1, capacity: 2 }, 3_000).isTaken, true);
  });

  test('a changed rate holds at once', () => {
    const bucket = new TokenBucket();
    takeAll(bucket, 0);
    assert.equal(takeAll(bucket, 100, { perSecond: 1_000, capacity: 2_000 }), 100);
    assert.deepEqual(bucket.take({ perSecond: 1, capacity: 2 }, 600), { isTaken: false, left: 0, waitMs: 500 });
  });

  test('rounding costs no token, at any rate', () => {
    for (const perSecond of [1, 3, 7, 333, 99_999, 1_000_000]) {
      const bucket = new TokenBucket();
      assert.equal(takeAll(bucket, 123_456_789.123, { perSecond, capacity: 2 * perSecond }), 2 * perSecond, `${perSecond}`);
    }
  });
});
