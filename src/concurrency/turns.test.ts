import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from './turns.ts';

test('whoever had no turn yet comes first, then whoever had theirs longest ago; looking without work is no turn', async () => {
  const turns = new Turns<string>((item) => item);
  const round = async (items: string[], idle: string[] = []) => {
    const order: string[] = [];
    const work = async (item: string) => order.push(item) > 0 && !idle.includes(item);
    for (let left: readonly string[] = items; left.length > 0; ) left = await turns.give(left, { work });
    return order.join(' ');
  };
  assert.equal(await round(['a', 'b', 'c']), 'a b c');
  assert.equal(await round(['c', 'b', 'd']), 'd b c');
  assert.equal(await round(['a', 'b', 'c', 'd'], ['a']), 'a d b c');
  assert.equal(await round(['d', 'b', 'c', 'a']), 'a d b c');
});

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('items are chosen from when they are next, and a round that reaches few leaves the others', async () => {
  const turns = new Turns<number>(String);
  const chosen: number[] = [];
  const choose = async (items: readonly number[]) => {
    chosen.push(...items);
    return items.filter((item) => item % 2 === 0);
  };
  const done: number[] = [];
  const left = await turns.give(numbers(1_000), {
    choose,
    async work(item) {
      done.push(item);
      await sleep(300);
      return true;
    },
  });
  assert.deepEqual([chosen, done], [numbers(200), [0, 2, 4, 6]]);
  assert.deepEqual(left, [...numbers(200).filter((item) => item > 6 && item % 2 === 0), ...numbers(1_000).slice(200)]);
  const rest: number[] = [];
  for (let again: readonly number[] = left; again.length > 0; )
    again = await turns.give(again, { choose, work: async (item) => rest.push(item) > 0 });
  assert.deepEqual(
    rest,
    numbers(1_000).filter((item) => item > 6 && item % 2 === 0),
  );
});

test('when items cannot be chosen the round ends with the turns under way, and no other is chosen', async () => {
  const turns = new Turns<number>(String);
  let [chosen, underWay] = [0, 0];
  const round = turns.give(numbers(1_000), {
    async choose(items) {
      if (chosen++ > 0) throw new Error('no luck');
      return items.slice(0, 3);
    },
    async work() {
      underWay++;
      await sleep(20);
      underWay--;
      return true;
    },
  });
  await assert.rejects(round, /no luck/);
  assert.deepEqual([chosen, underWay], [2, 0]);
});

test('of more items than are remembered at least, the last ones have their turn before any has a second', async () => {
  const turns = new Turns<number>(String);
  const all = numbers(20_001);
  const taken = new Set<number>();
  let rounds = 0;
  for (; taken.size < all.length; rounds++)
    await turns.give(all, {
      async work(item) {
        assert.ok(!taken.has(item) || taken.size === all.length, `${item} has a second turn, but only ${taken.size} had a first`);
        taken.add(item);
        if (taken.size % 6_000 === 0) pastRound();
        return true;
      },
    });
  assert.ok(rounds > 1);
});

/** Longer than a round of turns. */
const pastRound = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);

test('the turns that were longest ago are forgotten', async () => {
  const turns = new Turns<number>(String);
  const order: number[] = [];
  const work = async (item: number) => order.push(item) > 0;
  for (const item of numbers(10_001)) await turns.give([item], { work });
  await turns.give([1, 0, 10_001], { work });
  assert.deepEqual(order.slice(-3), [0, 10_001, 1]);
});
