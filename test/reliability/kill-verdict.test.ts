/** What `npm run kill` says of its kills. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkKills } from '../../reliability/kill/check-kills.ts';
import type { Kill } from '../../reliability/kill/killer-among-requests.ts';

const GOOD: Kill = { requestsCut: 3, readyAfterMs: 900, confirmedAfterMs: 1_000 };

function check(kills: readonly Kill[], asked = kills.length): string[] {
  const violations: string[] = [];
  checkKills(kills, { asked, target: 'service', report: (violation) => void violations.push(violation) });
  return violations;
}

test('kills among requests, after which the service is ready and confirms in time, are right', () => {
  assert.deepEqual(check([{ ...GOOD, requestsCut: 0 }, GOOD]), []);
});

test('a run without a kill, or with none among requests, has shown nothing', () => {
  assert.deepEqual(check([]), ['void: no kill met a request under way']);
  assert.deepEqual(check([{ ...GOOD, requestsCut: 0 }]), ['void: no kill met a request under way']);
  assert.deepEqual(check([GOOD], 2), ['only 1 of 2 kills took place']);
});

test('the last kill is judged like the others', () => {
  assert.deepEqual(check([GOOD, { ...GOOD, confirmedAfterMs: 10_001 }]), ['kill 2: the next confirmation came after 10001 ms']);
  const never = Number.POSITIVE_INFINITY;
  assert.deepEqual(check([{ ...GOOD, readyAfterMs: never, confirmedAfterMs: never }]), [
    'kill 1: ready after Infinity ms',
    'kill 1: the next confirmation came after Infinity ms',
  ]);
});
