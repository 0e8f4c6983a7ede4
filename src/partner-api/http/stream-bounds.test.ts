import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { boundStream } from './stream-bounds.ts';

const BOUNDS = { idleMs: 30_000, totalMs: 900_000 };

/** A body that sends nothing more and does not end. */
function boundSilent(t: TestContext, until?: EventEmitter): Readable {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const stream = boundStream(new Readable({ read() {} }), BOUNDS, until);
  stream.on('error', () => undefined);
  return stream;
}

test('a body that stops is ended after its idle time, and no earlier', (t) => {
  const body = boundSilent(t, new EventEmitter());
  t.mock.timers.tick(BOUNDS.idleMs - 1);
  assert.equal(body.destroyed, false);
  t.mock.timers.tick(1);
  assert.match(body.errored?.message ?? '', /no data for 30000 ms/);
});

test('a body whose answer has ended is bounded no more, though it was not read to its end', (t) => {
  const answer = new EventEmitter();
  const body = boundSilent(t, answer);
  answer.emit('close');
  t.mock.timers.tick(BOUNDS.totalMs);
  assert.equal(body.destroyed, false);
});
