import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

test('whoever had no turn yet comes first, then whoever had theirs longest ago; looking without work is no turn', async () => {
  const turns = new Turns<string>((item) => item);
  const round = async (items: string[], idle: string[] = []) => {
    const order: string[] = [];
    const isWhole = await turns.give(items, async (item) => {
      order.push(item);
      return !idle.includes(item);
    });
    assert.equal(isWhole, true);
    return order.join(' ');
  };
  assert.equal(await round(['a', 'b', 'c']), 'a b c');
  assert.equal(await round(['c', 'b', 'd']), 'd b c');
  assert.equal(await round(['a', 'b', 'c', 'd'], ['a']), 'a d b c');
  assert.equal(await round(['d', 'b', 'c', 'a']), 'a d b c');
});

const MANY = Array.from({ length: 20_001 }, (_, number) => String(number));

/** Longer than a round of turns. */
const pastRound = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);

test('of more items than are remembered, the last ones have their turn before any has a second', async () => {
  const turns = new Turns<string>((item) => item);
  const taken = new Set<string>();
  const take = async (item: string) => {
    assert.ok(!taken.has(item) || taken.size === MANY.length, `${item} has a second turn, but only ${taken.size} had a first`);
    taken.add(item);
    if (taken.size % 6_000 === 0) pastRound();
    return true;
  };
  let rounds = 0;
  for (; taken.size < MANY.length; rounds++) await turns.give(MANY, take);
  assert.ok(rounds > 1);
});

test('of more items than are remembered, those are forgotten that a round does not have', async () => {
  const turns = new Turns<string>((item) => item);
  const taken = new Set<string>();
  const take = async (item: string) => taken.add(item).size > 0;
  while (taken.size < MANY.length) await turns.give(MANY, take);
  await turns.give(['0'], async () => false);
  const order: string[] = [];
  await turns.give(['0', '1'], async (item) => order.push(item) > 0);
  assert.deepEqual(order, ['1', '0']);
});
