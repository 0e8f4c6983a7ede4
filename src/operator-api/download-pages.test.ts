import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { downloadPages } from './download-pages.ts';

/** Pages that are read when the test says so; what was read, in order. */
function scene() {
  const readPage = downloadPages<string>();
  const reading: { name: string; end: () => void }[] = [];
  const begun: string[] = [];
  const ask = (operatorId: string, name: string, isWanted = () => true) =>
    readPage({
      operatorId,
      isWanted,
      read: () => {
        begun.push(name);
        return new Promise((resolve) => reading.push({ name, end: () => resolve(name) }));
      },
    });
  const endOne = async () => {
    reading.shift()?.end();
    await nextTurn();
    await nextTurn();
  };
  return { ask, begun, reading, endOne };
}

test('two pages of downloads are read at a time, and operators take turns', async () => {
  const { ask, begun, reading, endOne } = scene();
  const many = Array.from({ length: 60 }, (_, index) => ask('one', `one ${index}`));
  await nextTurn();
  const single = ask('other', 'other');
  await nextTurn();
  assert.equal(reading.length, 2);
  await endOne();
  await endOne();
  assert.ok(begun.includes('other'), String(begun));
  while (reading.length > 0) {
    assert.ok(reading.length <= 2);
    await endOne();
  }
  assert.deepEqual(await Promise.all([...many, single]), [...Array.from({ length: 60 }, (_, index) => `one ${index}`), 'other']);
});

test('a page that nobody waits for is not read', async () => {
  const { ask, begun, reading, endOne } = scene();
  const whole = [ask('one', 'first'), ask('one', 'second')];
  const left = Array.from({ length: 9 }, (_, index) => ask('one', `left ${index}`, () => false));
  const ends = Promise.allSettled(left);
  const last = ask('one', 'last');
  await nextTurn();
  while (reading.length > 0) await endOne();
  assert.ok((await ends).every(({ status }) => status === 'rejected'));
  assert.deepEqual(await Promise.all([...whole, last]), ['first', 'second', 'last']);
  assert.deepEqual(begun, ['first', 'second', 'last']);
});
