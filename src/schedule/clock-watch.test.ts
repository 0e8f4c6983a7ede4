import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockWatch } from './clock-watch.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.parse('2026-11-27T12:00:00Z');

/** What each look finds: the steady clock in seconds, and how far the watched one is ahead of noon and it. */
function look(...moments: readonly (readonly [seconds: number, aheadMs: number])[]): string[] {
  const watch = new ClockWatch();
  return moments.map(([seconds, aheadMs]) => watch.look(new Date(NOON_MS + seconds * 1_000 + aheadMs), seconds * 1_000));
}

test('a clock that goes on, drifts, or is corrected by minutes is steady, whatever it is at first', () => {
  assert.deepEqual(look([0, -1e9], [1, -1e9], [2, -1e9 + 9 * 60_000], [9_000, -1e9]), Array(4).fill('steady'));
});

test('after a step forward nothing is done for a minute, and then it is taken as right', () => {
  assert.deepEqual(
    look([0, 0], [1, 80 * HOUR_MS], [2, 80 * HOUR_MS], [60, 80 * HOUR_MS], [61, 80 * HOUR_MS], [62, 80 * HOUR_MS]),
    ['steady', 'stepped', 'held', 'held', 'steady', 'steady'],
  );
});

test('a step back that leaves the clock ahead of where it was does not end the wait', () => {
  const aheadMs = 80 * HOUR_MS - 11 * 60_000;
  assert.deepEqual(look([0, 0], [1, 80 * HOUR_MS], [2, aheadMs], [60, aheadMs], [61, aheadMs]), [
    'steady',
    'stepped',
    'held',
    'held',
    'steady',
  ]);
});

test('after two steps forward the wait ends where the clock was before the first', () => {
  assert.deepEqual(look([0, 0], [1, HOUR_MS], [2, 2 * HOUR_MS], [3, HOUR_MS], [4, 9 * 60_000]), [
    'steady',
    'stepped',
    'stepped',
    'held',
    'steady',
  ]);
});

test('a step back ends the wait, and is none by itself', () => {
  assert.deepEqual(look([0, 0], [1, HOUR_MS], [2, HOUR_MS], [7, 0], [8, 0], [9, -HOUR_MS]), [
    'steady',
    'stepped',
    'held',
    'steady',
    'steady',
    'steady',
  ]);
});
