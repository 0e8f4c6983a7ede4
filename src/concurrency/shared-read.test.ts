import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedRead } from './shared-read.ts';

const HOUR_MS = 3_600_000;
const [one, other] = [{}, {}];

function counting(keptMs: number) {
  const reads: string[] = [];
  return { ...sharedRead(keptMs, async (_source: object, key: string) => reads.push(key)), reads };
}

test('those who ask for the same, at once or soon after, share one read; another key and another source have their own', async () => {
  const { read, reads } = counting(HOUR_MS);
  assert.deepEqual(await Promise.all([read(one, 'a'), read(one, 'a'), read(one, 'b'), read(other, 'a')]), [1, 1, 2, 3]);
  assert.equal(await read(one, 'a'), 1);
  assert.deepEqual(reads, ['a', 'b', 'a']);
});

test('it is read anew when its time is over', async () => {
  const { read, reads } = counting(0);
  await read(one, 'a');
  await read(one, 'a');
  assert.deepEqual(reads, ['a', 'a']);
});

test('what is forgotten is read anew, also while it is being read, and what another source has is kept', async () => {
  const { read, forget, reads } = counting(HOUR_MS);
  const underWay = read(one, 'a');
  await read(other, 'a');
  forget(one);
  assert.deepEqual(await Promise.all([underWay, read(one, 'a'), read(one, 'a'), read(other, 'a')]), [1, 3, 3, 2]);
  assert.deepEqual(reads, ['a', 'a', 'a']);
});

test('a read that fails is not kept', async () => {
  let times = 0;
  const { read } = sharedRead(HOUR_MS, async () => {
    times++;
    if (times === 1) throw new Error('the first one fails');
    return times;
  });
  await assert.rejects(read(one, 'a'), /the first one fails/);
  assert.equal(await read(one, 'a'), 2);
});
