import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seldom } from './throttled.ts';

test('an error is told at once, then every ten seconds with how often it occurred; another one is told by itself', () => {
  let nowMs = 0;
  const told: [message: string, times: number, atMs: number][] = [];
  const note = seldom(
    (error, times) => told.push([(error as Error).message, times, nowMs]),
    () => nowMs,
  );
  for (; nowMs <= 20_000; nowMs += 250) note(new Error('the database is away'));
  note(new TypeError('something else'));
  assert.deepEqual(told, [
    ['the database is away', 1, 0],
    ['the database is away', 40, 10_000],
    ['the database is away', 40, 20_000],
    ['something else', 1, 20_250],
  ]);
});

test('errors that never recur do not fill the memory, and are all told', () => {
  let told = 0;
  const note = seldom(() => told++);
  for (let number = 0; number < 5_000; number++) note(new Error(`the ${number}th`));
  assert.equal(told, 5_000);
});
