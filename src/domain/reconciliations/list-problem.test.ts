import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DetailCode } from '../detail-codes.ts';
import { describeListProblem } from './list-problem.ts';

test('settlements, section 2, Reconciliation: a problem is a code, and its sentence names the field and the form', () => {
  const sentence = (field: string, code: DetailCode, lineType: Parameters<typeof describeListProblem>[1] = null) =>
    describeListProblem({ field, code }, lineType).message;
  assert.equal(sentence('points', 'missing'), 'points is missing.');
  assert.equal(sentence('points', 'wrong_form'), 'points must be a whole number from 0 to 9223372036854775807.');
  assert.equal(sentence('points', 'wrong_form', 'carried_forward'), 'points must be a whole number, 0 or negative.');
  assert.equal(sentence('points', 'too_large'), 'points must be at most 9223372036854775807.');
  assert.equal(sentence('points', 'not_whole', 'contribution'), 'points must be a whole number, without decimals.');
  assert.equal(sentence('points', 'other_digits'), 'points must be in the digits 0 to 9.');
  assert.equal(sentence('points', 'separators'), 'points must be without separators of thousands.');
  assert.equal(sentence('points', 'wrong_type'), 'points must be a JSON number, without quotation marks.');
  assert.match(sentence('partner_event_id', 'wrong_form'), /^partner_event_id must be a text of 8 to 128 characters/);
  assert.equal(sentence('line_type', 'wrong_form'), 'line_type must be contribution, adjustment or carried_forward.');
  assert.match(sentence('line', 'unreadable'), /JSON object/);
  assert.match(sentence('line', 'too_many_values'), /more values than the header row/);
  assert.equal(sentence('line', 'empty'), 'The line cannot be read.');
  assert.equal(sentence('of a later release', 'wrong_form'), 'of a later release must be well formed.');
});

test('settlements, section 2, Reconciliation: a line that was kept with its sentence is told in that sentence', () => {
  const kept = { field: 'points', code: 'wrong_form', message: 'As it was then.' } as const;
  assert.deepEqual(describeListProblem(kept, null), kept);
});
