/** What `npm run overload` says of its two loads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tally } from '../../reliability/harness/load-generator.ts';
import { checkLoad, type Measured } from '../../reliability/overload/check-load.ts';

function tally(byStatus: Record<string, number>, acceptedMs = 20, refusalsWithoutRetryAfter = 0): Tally {
  return { byStatus, acceptedMs: [acceptedMs], refusedMs: [], refusalsWithoutRetryAfter };
}

const NONE = tally({});
/** A second of each load: 1,000 confirmations, and three times as many offered. */
const PEAK = { measuredMs: 1_000, latenessMs: 0, confirmations: tally({ 201: 1_000 }), lookups: NONE };
const OVER = {
  measuredMs: 1_000,
  latenessMs: 1,
  confirmations: tally({ 201: 900, 503: 1_600, 429: 300, unsent: 200 }),
  lookups: tally({ 200: 50 }),
};

function check({ peak = {}, over = {} }: { peak?: Partial<Measured['peak']>; over?: Partial<Measured['over']> }): string[] {
  const violations: string[] = [];
  const measured = { peak: { ...PEAK, ...peak }, over: { ...OVER, ...over }, times: 3, lookupsPerSecond: 50 };
  checkLoad(measured, (violation) => void violations.push(violation));
  return violations;
}

test('nine tenths of the peak beside refusals that say when to come again are right', () => {
  assert.deepEqual(check({}), []);
  assert.deepEqual(check({ peak: { confirmations: tally({ 201: 1_000, 503: 10 }) } }), []);
});

test('a peak that the service failed to serve lowers no bar', () => {
  assert.deepEqual(check({ peak: { confirmations: tally({ 201: 1_000, 500: 9_000 }) } }), [
    'void: only 10 % of the confirmations of the peak were confirmed',
    '9000 confirmations of the peak ended with 500',
  ]);
  assert.deepEqual(check({ peak: { confirmations: tally({ 201: 1_000, none: 1 }) } }), [
    '1 confirmations of the peak ended with none',
  ]);
  assert.deepEqual(check({ peak: { confirmations: tally({ 201: 1_000, 503: 20 }, 20, 20) } }), [
    'void: only 98 % of the confirmations of the peak were confirmed',
    '20 refused confirmations of the peak had no Retry-After',
  ]);
  assert.ok(check({ peak: { confirmations: tally({ 503: 5 }) } }).includes('void: nothing was confirmed at the peak'));
});

test('a load that did not fall due, fell due late or had no look-up has shown nothing', () => {
  assert.deepEqual(check({ over: { confirmations: tally({ 201: 1_000 }) } }), ['void: only 34 % of the load fell due']);
  assert.deepEqual(check({ over: { latenessMs: 101 } }), ['void: 1 % of the requests went out more than 101 ms late']);
  assert.deepEqual(check({ over: { lookups: NONE } }), ['void: no look-up was answered']);
});

test('less work, late answers, other statuses and look-ups without an answer are each reported', () => {
  const bad = { ...tally({ 201: 699, 503: 2_299, 500: 1, none: 1 }, 501, 3) };
  assert.deepEqual(check({ over: { confirmations: bad, lookups: tally({ 200: 49, 503: 1 }, 20, 1) } }), [
    'useful work is 70 % of the peak',
    'accepted p99 is 501 ms',
    '1 confirmations ended with 500',
    '1 confirmations ended with none',
    '3 refused confirmations had no Retry-After',
    '1 refused look-ups had no Retry-After',
    '1 of 50 look-ups did not get their answer',
  ]);
});
