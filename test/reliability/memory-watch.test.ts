/** The limit of the memory is one of the peak: what was given back since counts too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryWatch } from '../../reliability/harness/memory-watch.ts';

test('a peak above the limit is reported, though the memory is back', async () => {
  let megabytes = 300;
  const violations: string[] = [];
  const watch = await MemoryWatch.start('the service', () => megabytes);
  watch.endBelow(300, (violation) => void violations.push(violation));
  assert.equal(violations.length, 0);
  const another = await MemoryWatch.start('the service', () => megabytes);
  megabytes = 301;
  assert.equal(another.now, 301);
  megabytes = 100;
  another.endBelow(300, (violation) => void violations.push(violation));
  assert.deepEqual(violations, ['the service had 301 MB in use, and 300 MB are the most']);
});
