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

test('errors that name different records of one trouble are one kind, each time of its text and name', () => {
  let nowMs = 0;
  const reported: [message: string, times: number][] = [];
  const note = throttled(
    (error, times) => reported.push([(error as Error).message, times]),
    () => nowMs,
  );
  const unreadable = (endpoint: number, keyId: string) =>
    Object.assign(new Error(`The secret of wep_${endpoint} is sealed under the key "${keyId}".`), {
      recursAs: `The secret is sealed under the key "${keyId}".`,
    });
  for (; nowMs < 3_000; nowMs += 1_000) for (let number = 0; number < 1_001; number++) note(unreadable(number, '2026'));
  note(unreadable(7, '2025'));
  nowMs = 10_000;
  note(unreadable(8, '2026'));
  assert.deepEqual(reported, [
    ['The secret of wep_0 is sealed under the key "2026".', 1],
    ['The secret of wep_7 is sealed under the key "2025".', 1],
    ['The secret of wep_8 is sealed under the key "2026".', 3_003],
  ]);
});

test('beyond a hundred texts in ten seconds the others are counted together, and what was known before stays quiet', () => {
  let nowMs = 0;
  const reported: [message: string, times: number][] = [];
  const note = throttled(
    (error, times) => reported.push([(error as Error).message, times]),
    () => nowMs,
  );
  for (; nowMs < 10_000; nowMs += 1_000) for (let number = 0; number < 5_000; number++) note(new Error(`the ${number}th`));
  assert.equal(reported.length, 101);
  assert.deepEqual(reported.at(-1), ['the 100th', 1]);
  nowMs = 20_000;
  note(new Error('the 1th'));
  note(new Error('a new one'));
  assert.deepEqual(reported.slice(101), [
    ['the 1th', 10],
    ['a new one', 1],
  ]);
});
