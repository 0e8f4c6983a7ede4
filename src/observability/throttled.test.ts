import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throttled } from './throttled.ts';

test('an error is reported at once, then every ten seconds with how often it occurred; another one is reported by itself', () => {
  let nowMs = 0;
  const reported: [message: string, times: number, atMs: number][] = [];
  const note = throttled(
    (error, times) => reported.push([(error as Error).message, times, nowMs]),
    () => nowMs,
  );
  for (; nowMs <= 20_000; nowMs += 250) note(new Error('the database is away'));
  note(new TypeError('something else'));
  assert.deepEqual(reported, [
    ['the database is away', 1, 0],
    ['the database is away', 40, 10_000],
    ['the database is away', 40, 20_000],
    ['something else', 1, 20_250],
  ]);
});

test('what came with an error is reported with it', () => {
  const reported: [times: number, place: string][] = [];
  const note = throttled((_error, times, place: string) => reported.push([times, place]));
  for (const place of ['first', 'second']) note(new Error('the database is away'), place);
  assert.deepEqual(reported, [[1, 'first']]);
});

test('errors that never recur do not fill the memory, and are all reported', () => {
  let reported = 0;
  const note = throttled(() => reported++);
  for (let number = 0; number < 5_000; number++) note(new Error(`the ${number}th`));
  assert.equal(reported, 5_000);
});
