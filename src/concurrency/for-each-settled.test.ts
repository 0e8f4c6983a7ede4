import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { forEachSettled } from './for-each-settled.ts';

const failed = (count: number) => `${count} failed.`;

/** Does the work of ten items, and tells how many were under way at the same time. */
async function mostAtOnce(atOnce?: number): Promise<{ most: number; done: number[] }> {
  let [under, most] = [0, 0];
  const done: number[] = [];
  await forEachSettled(Array.from({ length: 10 }).keys(), { failed, ...(atOnce && { atOnce }) }, async (item) => {
    most = Math.max(most, ++under);
    await nextTurn();
    under--;
    done.push(item);
  });
  return { most, done };
}

test('one after another, or so many at once; each item once', async () => {
  const all = Array.from({ length: 10 }).keys().toArray();
  assert.deepEqual(await mostAtOnce(), { most: 1, done: all });
  const { most, done } = await mostAtOnce(3);
  assert.deepEqual([most, done.toSorted((one, other) => one - other)], [3, all]);
});

test('a failure is told of after the others are done, however many are done at once', async () => {
  for (const atOnce of [1, 3]) {
    const done: string[] = [];
    const work = async (item: string) => {
      if (item === 'b') throw new Error('b is broken');
      done.push(item);
    };
    await assert.rejects(forEachSettled(['a', 'b', 'c'], { failed, atOnce }, work), {
      name: 'AggregateError',
      message: '1 failed. The first: b is broken',
    });
    assert.deepEqual(done, ['a', 'c']);
  }
});

describe('items that cannot be read to their end', () => {
  async function* broken(count: number) {
    for (let item = 0; item < count; item++) yield item;
    throw new Error('the list is broken');
  }

  test('hide no failure of those before', async () => {
    for (const atOnce of [1, 3])
      await assert.rejects(
        forEachSettled(broken(2), { failed, atOnce }, async (item) => Promise.reject(new Error(`${item} is broken`))),
        (error: AggregateError) => {
          assert.equal(error.message, '2 failed. The first: 0 is broken (and the others could not be read: the list is broken)');
          assert.deepEqual(error.errors.map(String), ['Error: 0 is broken', 'Error: 1 is broken', 'Error: the list is broken']);
          return true;
        },
      );
  });

  test('are told of after the work that was begun', async () => {
    const done: number[] = [];
    const all = forEachSettled(broken(2), { failed, atOnce: 3 }, async (item) => {
      await nextTurn();
      await nextTurn();
      done.push(item);
    });
    await assert.rejects(all, /^Error: the list is broken$/);
    assert.deepEqual(done, [0, 1]);
  });
});

test('none is begun after the signal', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  await forEachSettled([1, 2, 3, 4, 5], { failed, atOnce: 2, signal: stop.signal }, async (item) => {
    begun.push(item);
    await nextTurn();
    stop.abort();
  });
  assert.deepEqual(begun, [1, 2]);
});
