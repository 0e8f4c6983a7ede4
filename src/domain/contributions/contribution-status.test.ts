import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTRIBUTION_STATUSES, isTerminal, mayBecome, nonRefundable } from './contribution-status.ts';

test('Contribution status: confirmed and failed are terminal, pending is not', () => {
  assert.deepEqual(CONTRIBUTION_STATUSES.filter(isTerminal), ['confirmed', 'failed']);
  for (const from of ['confirmed', 'failed'] as const) {
    for (const to of CONTRIBUTION_STATUSES) assert.equal(mayBecome(from, to), false, `${from} to ${to}`);
  }
});

test('Contribution status: a new one is in any state, a pending one becomes confirmed or failed', () => {
  for (const to of CONTRIBUTION_STATUSES) assert.equal(mayBecome('none', to), true, to);
  assert.equal(mayBecome('pending', 'confirmed'), true);
  assert.equal(mayBecome('pending', 'failed'), true);
  assert.equal(mayBecome('pending', 'pending'), false);
});

test('Contribution status, rule 1: only failed is refundable; pending is not a permission', () => {
  assert.equal(nonRefundable('confirmed'), true);
  assert.equal(nonRefundable('pending'), true);
  assert.equal(nonRefundable('failed'), false);
});
