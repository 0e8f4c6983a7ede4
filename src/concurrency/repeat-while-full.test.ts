import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatWhileFull } from './repeat-while-full.ts';

/** Removes from so many rows, and remembers the parts. */
function rows(left: number) {
  const parts: number[] = [];
  const remove = async (limit: number) => {
    const removed = Math.min(left, limit);
    left -= removed;
    parts.push(removed);
    return removed;
  };
  return { parts, remove };
}

test('rows are removed in parts until a part is not full', async () => {
  const { parts, remove } = rows(25);
  assert.equal(await repeatWhileFull(10, remove), 25);
  assert.deepEqual(parts, [10, 10, 5]);
});

test('a full part is followed by another, which may find nothing', async () => {
  const { parts, remove } = rows(10);
  assert.equal(await repeatWhileFull(10, remove), 10);
  assert.deepEqual(parts, [10, 0]);
});

test('an aborted signal ends the removal between two parts', async () => {
  const { parts, remove } = rows(100);
  const stop = new AbortController();
  const removeSome = (limit: number) => {
    if (parts.length === 1) stop.abort();
    return remove(limit);
  };
  assert.equal(await repeatWhileFull(10, removeSome, stop.signal), 20);
  assert.equal(await repeatWhileFull(10, remove, stop.signal), 0);
  assert.deepEqual(parts, [10, 10]);
});
