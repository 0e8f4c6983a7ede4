import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAgeClock } from './age-clock.ts';

/** Two clocks that the test moves, and what has passed by the age clock since it was opened. */
function open() {
  const clocks = { machine: 1_000_000_000_000, steady: 5_000 };
  const ages = openAgeClock(
    () => clocks.machine,
    () => clocks.steady,
  );
  const beginMs = ages.now();
  const pass = (machineMs: number, steadyMs: number) => {
    clocks.machine += machineMs;
    clocks.steady += steadyMs;
    return ages.now() - beginMs;
  };
  return pass;
}

test('goes on with the steady clock while the clock of the machine does, and where that is corrected by little', () => {
  const pass = open();
  assert.deepEqual([pass(1_000, 1_000), pass(2_500, 1_000), pass(0, 500)], [1_000, 2_000, 2_500]);
});

test('goes on by the time for which the machine was suspended, once', () => {
  const pass = open();
  assert.deepEqual([pass(3_601_000, 1_000), pass(1_000, 1_000)], [3_601_000, 3_602_000]);
});

test('goes on, and never back, where the clock of the machine is set', () => {
  const pass = open();
  assert.deepEqual([pass(-3_600_000, 0), pass(1_000, 1_000), pass(7_200_000, 0)], [3_600_000, 3_601_000, 10_801_000]);
});
