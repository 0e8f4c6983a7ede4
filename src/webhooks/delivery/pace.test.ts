import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isBehind, medianOf, nextBudget, Pace, type Slice } from './pace.ts';

const QUIET: Slice = { answers: 20, answerMs: 4, utilization: 0.5, begun: 200 };
const BUSY: Slice = { ...QUIET, utilization: 0.97 };
const UNLIMITED = Number.POSITIVE_INFINITY;

/** The budgets of so many slices, one after the other. */
function budgets(from: number, slice: (budget: number) => Slice, count: number): number[] {
  const all = [from];
  for (let each = 0; each < count; each++) all.push(nextBudget(all.at(-1) as number, slice(all.at(-1) as number)));
  return all;
}

describe('deliveries slow down while answers wait', () => {
  test('answers wait for a busy event loop, or for a slow database', () => {
    assert.equal(isBehind(QUIET), false);
    assert.equal(isBehind(BUSY), true);
    assert.equal(isBehind({ ...QUIET, answerMs: 80 }), true);
  });

  test('one whose request comes in slowly does not count for the others', () => {
    assert.equal(medianOf([3, 30_000, 4, 5]), 4);
    assert.equal(medianOf([7]), 7);
    assert.equal(medianOf([]), 0);
  });

  test('while nobody asks for anything, deliveries take all of the time', () => {
    const alone = { ...BUSY, answers: 0, answerMs: 0 };
    assert.equal(nextBudget(UNLIMITED, alone), UNLIMITED);
  });

  test('they slow down slice by slice, to one for each answer', () => {
    const falling = budgets(UNLIMITED, (budget) => ({ ...BUSY, answers: 40, begun: Math.min(budget, 200) }), 10);
    assert.deepEqual(falling.slice(1, 4), [150, 112, 84]);
    assert.equal(falling.at(-1), 40);
  });

  test('a few begin in a turn of the event loop, and the others in the next ones', async () => {
    const pace = new Pace();
    const begun: number[] = [];
    let left = 20;
    const begin = () => {
      let count = 0;
      while (left > 0 && pace.take()) [left, count] = [left - 1, count + 1];
      begun.push(count);
    };
    pace.onRoom(begin);
    begin();
    while (left > 0) await nextTurn();
    assert.deepEqual(begun, [8, 8, 4]);
  });

  test('more begin in a turn after many answers, so that their events do not wait', async () => {
    const pace = new Pace();
    let begun = 0;
    const begin = () => {
      while (pace.take()) begun++;
    };
    begin();
    for (let answers = 0; answers < 30; answers++) pace.addAnswer(1);
    await nextTurn();
    begin();
    assert.equal(begun, 8 + 38);
  });

  test('they never stop', () => {
    assert.equal(budgets(UNLIMITED, () => ({ ...BUSY, answers: 1, begun: 3 }), 20).at(-1), 16);
  });

  test('when answers wait no more they catch up, until nothing limits them', () => {
    const rising = budgets(16, () => QUIET, 30);
    assert.ok(rising.every((budget, index) => index === 0 || budget >= (rising[index - 1] as number)));
    assert.equal(rising.at(-1), UNLIMITED);
  });
});
