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
