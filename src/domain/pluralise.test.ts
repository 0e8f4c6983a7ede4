import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluralise } from './pluralise.ts';

test('one stands alone, and any other number has the plural', () => {
  assert.deepEqual(
    [0, 1, 2n, 1n, 21].map((count) => pluralise(count, 'partner')),
    ['0 partners', '1 partner', '2 partners', '1 partner', '21 partners'],
  );
});
