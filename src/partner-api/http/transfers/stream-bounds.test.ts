import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { boundStream } from './stream-bounds.ts';

const BOUNDS = { idleMs: 30_000, totalMs: 900_000 };

/** An answer that has nothing more and does not end. */
function boundSilent(t: TestContext): Readable {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stream = boundStream(new Readable({ read() {} }), BOUNDS);
  stream.on('error', () => undefined);
  return stream;
}

test('an answer that stops is cut off after its idle time, and no earlier', (t) => {
  const answer = boundSilent(t);
  t.mock.timers.tick(BOUNDS.idleMs - 1);
  assert.equal(answer.destroyed, false);
  t.mock.timers.tick(1);
  assert.match(answer.errored?.message ?? '', /no data for 30000 ms/);
});

test('an answer that has ended is bounded no more', (t) => {
  const answer = boundSilent(t);
  answer.emit('close');
  t.mock.timers.tick(BOUNDS.totalMs);
  assert.equal(answer.destroyed, false);
});
