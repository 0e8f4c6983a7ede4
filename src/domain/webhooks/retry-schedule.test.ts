/** Decisions, section 7, Delivery. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ATTEMPTS_MAX, readRetryAfter, retryDelayMs } from './retry-schedule.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const MIDDLE = 0.5;

describe('the next attempt', () => {
  test('comes after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, and then no more', () => {
    const delays: (number | undefined)[] = [];
    for (let attemptsLeft = ATTEMPTS_MAX - 1; attemptsLeft >= 0; attemptsLeft--)
      delays.push(retryDelayMs(attemptsLeft, undefined, MIDDLE));
    const hours = [2, 5, 10, 14, 20, 24].map((each) => each * HOUR);
    assert.deepEqual(delays, [5 * SECOND, 300 * SECOND, 1_800 * SECOND, ...hours, undefined]);
  });

  test('is spread over a fifth before and after', () => {
    const fractions = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fractions, fc.integer({ min: 1, max: ATTEMPTS_MAX - 1 }), (fraction, attemptsLeft) => {
        const [delay, middle] = [retryDelayMs(attemptsLeft, undefined, fraction), retryDelayMs(attemptsLeft, undefined, MIDDLE)];
        return Math.abs((delay as number) / (middle as number) - 1) <= 0.2 + 1e-9;
      }),
    );
    assert.deepEqual([retryDelayMs(9, undefined, 0), retryDelayMs(9, undefined, 1)], [4 * SECOND, 6 * SECOND]);
  });

  test('is the later of the two where the receiver asked for a time, a day at most', () => {
    assert.equal(retryDelayMs(9, 120 * SECOND, MIDDLE), 120 * SECOND);
    assert.equal(retryDelayMs(9, SECOND, MIDDLE), 5 * SECOND);
    assert.equal(retryDelayMs(9, 1_000 * HOUR, MIDDLE), 24 * HOUR);
    assert.equal(retryDelayMs(0, 120 * SECOND, MIDDLE), undefined);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const cases: [text: string | undefined, milliseconds: number | undefined][] = [
    ['120', 120 * SECOND],
    ['120 \t', 120 * SECOND],
    ['0', 0],
    ['Sat, 21 Nov 2026 10:01:00 GMT', 60 * SECOND],
    ['Sat, 21 Nov 2026 09:59:00 GMT', undefined],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['99999999999', undefined],
    ['soon', undefined],
    ['2026-11-21T10:01:00Z', undefined],
  ];
  for (const [text, milliseconds] of cases)
    test(`${text} is ${milliseconds}`, () => assert.equal(readRetryAfter({ status: 503, retryAfter: text }, now), milliseconds));

  test('counts with 429 and 503 only', () => {
    const statuses = [null, 200, 408, 428, 429, 430, 500, 502, 503, 504];
    const asked = statuses.filter((status) => readRetryAfter({ status, retryAfter: '120' }, now) !== undefined);
    assert.deepEqual(asked, [429, 503]);
  });
});
