/** Decisions, section 7, Delivery. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterFailures, breakerPauseMs, DISABLED_FOR, disablingReason, isCircuitOpen, isGone } from './endpoint-health.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

test('the breaker opens at 20 failures in a row: 30 s, doubled at each trip, ten minutes at most', () => {
  assert.equal(breakerPauseMs(19, 0), 0);
  const pauses = [0, 1, 2, 3, 4, 5, 1_000].map((trips) => breakerPauseMs(20, trips) / SECOND);
  assert.deepEqual(pauses, [30, 60, 120, 240, 480, 600, 600]);
});

test('an endpoint is disabled by one answer 410, and after ten failures or more over five days', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const reasonFor = (failuresInRow: number, failingForMs: number, status: number | null = 500) =>
    disablingReason({ failuresInRow, failingSince: new Date(now.getTime() - failingForMs) }, isGone(status), now);
  const fiveDays = 120 * HOUR;
  assert.equal(reasonFor(10, fiveDays), DISABLED_FOR.givenUp);
  assert.deepEqual([reasonFor(9, fiveDays), reasonFor(1_000, fiveDays - 1, null)], [undefined, undefined]);
  assert.deepEqual([reasonFor(1, 0, 410), reasonFor(10, fiveDays, 410)], [DISABLED_FOR.gone, DISABLED_FOR.gone]);
  assert.equal(disablingReason({ failuresInRow: 10, failingSince: null }, false, now), undefined);
});

test('attempts that return while the circuit is open count as failures, and open it no further', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const healthy = { failuresInRow: 0, failingSince: null, breakerTrips: 0, breakerOpenUntil: null };
  const open = afterFailures(healthy, 20, now);
  assert.deepEqual(open, {
    failuresInRow: 20,
    failingSince: now,
    breakerTrips: 1,
    breakerOpenUntil: new Date('2026-11-21T10:00:30Z'),
  });
  const later = new Date('2026-11-21T10:00:29Z');
  assert.deepEqual(afterFailures(open, 5, later), { ...open, failuresInRow: 25 });
  const halfOpen = new Date('2026-11-21T10:00:30Z');
  assert.deepEqual([isCircuitOpen(open, later), isCircuitOpen(open, halfOpen)], [true, false]);
  const again = afterFailures(open, 1, halfOpen);
  assert.deepEqual([again.breakerTrips, again.breakerOpenUntil], [2, new Date('2026-11-21T10:01:30Z')]);
});

test('an endpoint that began to fail while the clock was ahead fails from the first failure after it was set back', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const failing = { failuresInRow: 3, failingSince: new Date('2027-11-21T10:00:00Z'), breakerTrips: 0, breakerOpenUntil: null };
  const next = afterFailures(failing, 1, now);
  assert.deepEqual(next, { ...failing, failuresInRow: 4, failingSince: now });
  assert.deepEqual(afterFailures(next, 1, new Date('2026-11-21T11:00:00Z')).failingSince, now);
});
