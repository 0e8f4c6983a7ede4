import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { operatorTurns } from './operator-turns.ts';

/** Two at a time, each done when the test says so; what was begun, in order. */
function scene(waitingMax = 1_000) {
  const inTurn = operatorTurns({ atOnce: 2, waitingMax, waitMaxMs: 20_000 });
  const working: { name: string; end: () => void }[] = [];
  const begun: string[] = [];
  const ask = (asker: string, name: string, isWanted = () => true) =>
    inTurn<string>({
      asker,
      isWanted,
      work: () => {
        begun.push(name);
        return new Promise((resolve) => working.push({ name, end: () => resolve(name) }));
      },
    });
  const endOne = async () => {
    working.shift()?.end();
    await nextTurn();
    await nextTurn();
  };
  const endAll = async () => {
    while (working.length > 0) {
      assert.ok(working.length <= 2);
      await endOne();
    }
  };
  return { ask, begun, working, endOne, endAll };
}

const named = (asker: string, count: number) => Array.from({ length: count }, (_, index) => `${asker} ${index}`);

test('as many as are allowed are worked on at a time, and askers take turns', async () => {
  const { ask, begun, working, endOne, endAll } = scene();
  const many = named('one', 60).map((name) => ask('one', name));
  await nextTurn();
  const single = ask('other', 'other');
  await nextTurn();
  assert.equal(working.length, 2);
  await endOne();
  await endOne();
  assert.ok(begun.includes('other'), String(begun));
  await endAll();
  assert.deepEqual(await Promise.all([...many, single]), [...named('one', 60), 'other']);
});

test('nothing is done for a client that is gone, also when it goes while it waits', async () => {
  const { ask, begun, endAll } = scene();
  const whole = [ask('one', 'first'), ask('one', 'second')];
  let isThere = true;
  const left = named('left', 9).map((name) => ask('one', name, () => isThere));
  const ends = Promise.allSettled(left);
  const last = ask('one', 'last');
  await nextTurn();
  isThere = false;
  await endAll();
  assert.ok((await ends).every(({ status }) => status === 'rejected'));
  assert.deepEqual(await Promise.all([...whole, last]), ['first', 'second', 'last']);
  assert.deepEqual(begun, ['first', 'second', 'last']);
});

test('an asker that asks too much is refused, and another one is not', async () => {
  const { ask, endAll } = scene(10);
  const many = named('many', 30).map((name) => ask('many', name));
  const ends = Promise.allSettled(many);
  const other = ask('other', 'other');
  await nextTurn();
  await endAll();
  const refused = (await ends).filter((each) => each.status === 'rejected');
  assert.ok(refused.length >= 18, String(refused.length));
  for (const { reason } of refused) assert.equal(reason.code, 'internal_service_unavailable');
  assert.equal(await other, 'other');
});
