import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setIdentifierTime } from '../../domain/identifiers.ts';
import { quotaSpent } from './quota-refusals.ts';

test('Retry-After ends with the day of the clock that counts, whatever the clock of the machine shows', () => {
  const former = setIdentifierTime(() => Date.UTC(2027, 0, 31, 23, 59, 30, 250));
  try {
    assert.equal(quotaSpent('lists_of_day_spent', 'Spent.').headers?.['retry-after'], '30');
  } finally {
    setIdentifierTime(former);
  }
});
