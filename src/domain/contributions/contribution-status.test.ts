import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nonRefundable } from './contribution-status.ts';

test('Contribution status, rule 1: only failed is refundable; pending is not a permission', () => {
  assert.equal(nonRefundable('confirmed'), true);
  assert.equal(nonRefundable('pending'), true);
  assert.equal(nonRefundable('failed'), false);
});
