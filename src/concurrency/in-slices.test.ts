import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSlices } from './in-slices.ts';

test('a list is read in slices, and the event loop turns before each', async () => {
  const chunks = async function* () {
    yield Buffer.alloc(100_000, 'a');
    yield Buffer.alloc(10, 'b');
  };
  let turns = 0;
  let isEnded = false;
  const turn = () => {
    turns++;
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  const slices: [bytes: number, turnsBefore: number][] = [];
  for await (const slice of inSlices(chunks())) slices.push([slice.length, turns]);
  isEnded = true;
  const bytes = slices.map(([length]) => length);
  assert.deepEqual([Math.max(...bytes), bytes.reduce((sum, length) => sum + length, 0), bytes.at(-1)], [8_192, 100_010, 10]);
  for (const [place, [, turnsBefore]] of slices.entries()) assert.ok(turnsBefore > place, `${turnsBefore} before slice ${place}`);
});
