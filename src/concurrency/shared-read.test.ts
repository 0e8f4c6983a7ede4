import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Keeping, sharedRead } from './shared-read.ts';

const HOUR_MS = 3_600_000;
const [one, other] = [{}, {}];

const FOR_AN_HOUR: Keeping = { leastMs: HOUR_MS, mostMs: HOUR_MS };

function counting(keeping: Keeping, tookMs = 0) {
  const reads: string[] = [];
  const read = async (_source: object, key: string) => {
    if (tookMs > 0) await sleep(tookMs);
    return reads.push(key);
  };
  return { ...sharedRead(keeping, read), reads };
}

test('those who ask for the same, at once or soon after, share one read; another key and another source have their own', async () => {
  const { read, reads } = counting(FOR_AN_HOUR);
  assert.deepEqual(await Promise.all([read(one, 'a'), read(one, 'a'), read(one, 'b'), read(other, 'a')]), [1, 1, 2, 3]);
  assert.equal(await read(one, 'a'), 1);
  assert.deepEqual(reads, ['a', 'b', 'a']);
});

test('it is read anew when its time is over', async () => {
  const { read, reads } = counting({ leastMs: 0, mostMs: 0 });
  await read(one, 'a');
  await read(one, 'a');
  assert.deepEqual(reads, ['a', 'a']);
});

test('a read that takes longer than it is kept is not begun a second time beside itself', async () => {
  const { read, reads } = counting({ leastMs: 1, mostMs: 1 }, 100);
  const first = read(one, 'a');
  await sleep(50);
  assert.deepEqual(await Promise.all([first, read(one, 'a')]), [1, 1]);
  assert.deepEqual(reads, ['a']);
});

test('what is not whole is kept for the least time, however long it took', async () => {
  let times = 0;
  const read = async () => {
    await sleep(100);
    return ++times;
  };
  const shared = sharedRead({ leastMs: 1, mostMs: HOUR_MS }, read, (result) => result > 1);
  assert.deepEqual([await shared.read(one, 'a'), await shared.read(one, 'a'), await shared.read(one, 'a')], [1, 2, 2]);
});

test('what takes long to read is kept for longer, up to a bound', async () => {
  const dear = counting({ leastMs: 0, mostMs: HOUR_MS }, 200);
  await dear.read(one, 'a');
  await sleep(20);
  await dear.read(one, 'a');
  assert.deepEqual(dear.reads, ['a']);
  const bounded = counting({ leastMs: 0, mostMs: 1 }, 200);
  await bounded.read(one, 'a');
  await sleep(20);
  await bounded.read(one, 'a');
  assert.deepEqual(bounded.reads, ['a', 'a']);
});

test('what is forgotten is read anew, also while it is being read, and what another source has is kept', async () => {
  const { read, forget, reads } = counting(FOR_AN_HOUR);
  const underWay = read(one, 'a');
  await read(other, 'a');
  forget(one);
  assert.deepEqual(await Promise.all([underWay, read(one, 'a'), read(one, 'a'), read(other, 'a')]), [1, 3, 3, 2]);
  assert.deepEqual(reads, ['a', 'a', 'a']);
});

test('a read that fails is not kept', async () => {
  let times = 0;
  const { read } = sharedRead(FOR_AN_HOUR, async () => {
    times++;
    if (times === 1) throw new Error('the first one fails');
    return times;
  });
  await assert.rejects(read(one, 'a'), /the first one fails/);
  assert.equal(await read(one, 'a'), 2);
});
