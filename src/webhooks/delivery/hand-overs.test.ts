import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandOvers } from './hand-overs.ts';

const newHandOver = (handOverId: string) => ({ handOverId, leaseEndsAt: new Date(0) });

test('a hand-over ends with the last result of its deliveries, and is told of once', () => {
  const handOvers = new HandOvers();
  const [pair, single] = [newHandOver('pair'), newHandOver('single')];
  const endOne = handOvers.begin(pair, 2);
  handOvers.begin(single, 1)();
  endOne();
  assert.deepEqual(handOvers.takeEnded(), [single]);
  endOne();
  assert.deepEqual([handOvers.takeEnded(), handOvers.takeEnded()], [[pair], []]);
});

test('one that could not be forgotten is told of again', () => {
  const handOvers = new HandOvers();
  handOvers.begin(newHandOver('first'), 1)();
  const ended = handOvers.takeEnded();
  handOvers.restoreEnded(ended);
  assert.deepEqual(handOvers.takeEnded(), ended);
});
