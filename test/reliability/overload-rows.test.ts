/** What `npm run overload` finds wrong in the rows at its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from '../../reliability/harness/load-requests.ts';
import { checkRows, type Run } from '../../reliability/overload/check-rows.ts';

function check(stored: readonly number[], outcomes: Run['outcomes']): { unknown: number; violations: string[] } {
  const violations: string[] = [];
  const events = new Set(stored.map((number) => nameOf('over', number)));
  const unknown = checkRows(events, [{ run: 'over', outcomes }], (violation) => void violations.push(violation));
  return { unknown, violations };
}

test('rows are right when each acknowledged one is there; behind a 503 or without an answer they may be there', () => {
  assert.deepEqual(check([0, 1, 3, 5], [201, 503, 503, 'none', 'none', undefined, 429, 'unsent']), {
    unknown: 3,
    violations: [],
  });
});

test('rows are wrong by a lost acknowledgement, though as many others are stored', () => {
  assert.deepEqual(check([1], [201, 503]).violations, ['1 are acknowledged and not stored, such as load-over-000000000']);
});

test('rows are wrong by a refusal that stored', () => {
  assert.deepEqual(check([0, 1], [201, 429]).violations, ['1 are stored and ended as 429, such as load-over-000000001']);
  assert.deepEqual(check([0], ['unsent']).violations, ['1 are stored and ended as unsent, such as load-over-000000000']);
});

test('rows are wrong by one that nobody sent', () => {
  assert.deepEqual(check([0, 1], [201]).violations, ['1 are stored that nobody sent, such as load-over-000000001']);
});
