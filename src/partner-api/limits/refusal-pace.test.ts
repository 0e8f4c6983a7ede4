import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '../../../test/support/assertions/wait-for.ts';
import { paceRefusals, SHED } from './refusal-pace.ts';

test('a few refusals are made at once, and of many each in its turn', async () => {
  const refuseInTurn = paceRefusals(SHED);
  const made: number[] = [];
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  for (const number of numbers) refuseInTurn(() => made.push(number));
  assert.ok(made.length >= 5 && made.length < 100, `${made.length} at once`);
  await waitFor('hundredth refusal', () => made.length >= 100);
  assert.deepEqual(made, numbers);
});

test('refusals that find as many before them as may wait are made by the next pace, and all are made once', async () => {
  const beyond: (() => void)[] = [];
  const made: number[] = [];
  const refuseInTurn = paceRefusals({ perMs: 1, waitingMax: 20, beyond: (refuse) => beyond.push(refuse) });

  for (let number = 0; number < 40; number++) refuseInTurn(() => made.push(number));
  // On a slow machine more than one turn of refusals is made at once.
  assert.equal(beyond.length, Math.max(0, 40 - made.length - 20));
  for (const refuse of beyond) refuse();
  await waitFor('fortieth refusal', () => made.length >= 40);
  assert.equal(new Set(made).size, 40);
});

test('of many that wait, so many are made in each turn of five milliseconds that none waits longer than a second', async () => {
  const refuseInTurn = paceRefusals({ perMs: 0.001, waitingMax: 10_000 });
  let made = 0;
  let turns = 0;
  let isInTurn = false;
  const refuse = () => {
    made++;
    if (isInTurn) return;
    isInTurn = true;
    turns++;
    queueMicrotask(() => (isInTurn = false));
  };
  for (let number = 0; number < 2_000; number++) refuseInTurn(refuse);
  await waitFor('last refusal', () => made === 2_000);
  // The first is made at once. A timer may be some tenths of a millisecond early.
  assert.ok(turns <= 225, `${turns} turns`);
});
