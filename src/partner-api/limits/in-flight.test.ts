import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InFlight } from './in-flight.ts';

test('its whole requests count for others with 128 at most', () => {
  const inFlight = new InFlight();
  const requests = Array.from({ length: 1_000 }, () => inFlight.begin('busy', true));
  requests.push(inFlight.begin('busy', false));
  assert.deepEqual([inFlight.countFor('busy'), inFlight.countFor('other'), inFlight.countFor(undefined)], [1_001, 128, 128]);
  for (const request of requests) inFlight.end(request);
  assert.deepEqual([inFlight.countFor('busy'), inFlight.countFor('other')], [0, 0]);
});

test('a burst of 640 is served whole; a partner that fills the service has fewer places until few of its requests are in flight', () => {
  const inFlight = new InFlight();
  const requests = Array.from({ length: 639 }, () => inFlight.begin('busy', true));
  assert.equal(inFlight.isFull('busy', 640), false);
  requests.push(inFlight.begin('busy', true));
  for (const request of requests.splice(0, 40)) inFlight.end(request);
  assert.deepEqual(
    [inFlight.isFull('busy', 640), inFlight.isFull('other', 640), inFlight.isFull(undefined, 640)],
    [true, false, false],
  );
  assert.equal(inFlight.isFull('busy', 4_096), false, 'its look-ups of contributions have places');
  for (const request of requests.splice(0, 590)) inFlight.end(request);
  assert.equal(inFlight.isFull('busy', 640), false);
  for (let count = 0; count < 600; count++) requests.push(inFlight.begin('busy', true));
  assert.equal(inFlight.isFull('busy', 640), false, 'the next burst is served whole');
});
