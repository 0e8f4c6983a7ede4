/** What waits for concurrent duplicates (decisions, section 3), where the held keys are those of the test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { GroupCommit } from './group-commit.ts';

interface Request {
  readonly partnerId: string;
  submittedAtMs: number;
  readonly number: number;
  readonly keys: readonly string[];
}

const lockTimeout = () =>
  Object.assign(new pg.DatabaseError('canceling statement due to lock timeout', 0, 'error'), { code: '55P03' });

/** So long after its submission a request is answered, whatever becomes of it. */
const DEADLINE_MS = 5_000;

/** Commits of a database in which others hold keys: a request that has one waits there, where it may wait for long, until it is released. */
class Commits {
  /** How often the keys of a request were asked for. */
  keysAsked = 0;
  readonly batches: number[][] = [];
  /** Called at the beginning of each attempt. */
  onAttempt: ((requests: readonly Request[]) => void) | undefined;
  /** Called at the beginning of each read of what is stored. */
  onFind: ((requests: readonly Request[]) => void) | undefined;
  readonly #held = new Map<string, PromiseWithResolvers<void>>();
  readonly #commit = new GroupCommit<Request, undefined, number>({
    concurrency: { batches: 1, singles: 1, duplicates: 1 },
    isOfOneShare: false,
    conflictKeysOf: ({ keys }) => {
      this.keysAsked++;
      return keys;
    },
    commitBatch: async (requests, { lockTimeoutMs }) => {
      this.batches.push(requests.map(({ number }) => number));
      this.onAttempt?.(requests);
      const held = requests.flatMap(({ keys }) => keys).flatMap((key) => this.#held.get(key) ?? []);
      if (held.length > 0 && lockTimeoutMs < 1_000) throw lockTimeout();
      await Promise.all(held.map(({ promise }) => promise));
      return requests.map(({ number }) => number);
    },
    findStored: async (requests) => {
      this.onFind?.(requests);
      return requests.map(() => undefined);
    },
    classifyConflict: () => undefined,
    findOwnOutcome: () => undefined,
  });
  #number = 0;

  hold(key: string): void {
    this.#held.set(key, Promise.withResolvers());
  }

  release(key: string): void {
    this.#held.get(key)?.resolve();
    this.#held.delete(key);
  }

  /** Until nothing is left but what waits for a held key: no timer is involved. */
  async untilIdle(): Promise<void> {
    for (let [begun, turns] = [-1, 0]; turns < 50; turns++) {
      if (this.batches.length !== begun) turns = 0;
      begun = this.batches.length;
      await turn();
    }
  }

  submit(...keys: string[]): Promise<number> {
    return this.submitLate(0, ...keys);
  }

  /** As if it had been submitted so long ago. */
  submitLate(agoMs: number, ...keys: string[]): Promise<number> {
    return this.#commit.submit({ partnerId: 'ptn_1', submittedAtMs: performance.now() - agoMs, number: ++this.#number, keys });
  }
}

test('a request is compared with two hundred that wait by its own keys, once', async () => {
  const commits = new Commits();
  const keys = Array.from({ length: 200 }, (_, index) => `event ${index}`);
  for (const key of keys) commits.hold(key);
  const waiting = keys.map((key) => commits.submit(key, `order of ${key}`));
  await commits.untilIdle();
  commits.keysAsked = 0;
  assert.equal(await commits.submit('event', 'order'), 201);
  assert.equal(commits.keysAsked, 1);
  for (const key of keys) commits.release(key);
  assert.deepEqual(
    await Promise.all(waiting),
    Array.from(keys, (_, index) => index + 1),
  );
});

test('a request waits where one with any of its keys waits, as long as one of them does, and joins a batch afterwards', async () => {
  const commits = new Commits();
  commits.hold('event');
  commits.hold('order 2');
  const first = commits.submit('event', 'order 1');
  await commits.untilIdle();
  const second = commits.submit('event', 'order 2');
  await commits.untilIdle();
  assert.equal(commits.batches.flat().filter((number) => number === 2).length, 0, 'the second waits behind the first');
  commits.release('event');
  assert.equal(await first, 1);
  await commits.untilIdle();
  commits.batches.length = 0;
  const third = commits.submit('event', 'order 3');
  await commits.untilIdle();
  assert.deepEqual(commits.batches, [], 'the second waits still, and the third behind it');
  commits.release('order 2');
  assert.deepEqual(await Promise.all([second, third]), [2, 3]);
  commits.batches.length = 0;
  await Promise.all([commits.submit('event', 'order 1'), commits.submit('event', 'order 2')]);
  assert.deepEqual(commits.batches, [[4, 5]], 'nothing waits any more');
});

const unavailable = { code: 'internal_service_unavailable' };

test('whoever is past its deadline is recorded in none of the queues, and the others are', async () => {
  // A batch, a small batch, a single request, a concurrent duplicate.
  for (const attempts of [0, 1, 2, 3]) {
    const commits = new Commits();
    commits.hold('event');
    let made = 0;
    commits.onAttempt = (requests) => {
      const first = requests.find(({ number }) => number === 1);
      if (first && ++made === attempts) first.submittedAtMs -= DEADLINE_MS;
    };
    const late = commits.submitLate(attempts === 0 ? DEADLINE_MS : 0, 'event');
    const others = Array.from({ length: 20 }, (_, index) => commits.submit(`event ${index}`));
    await assert.rejects(late, unavailable);
    assert.equal((await Promise.all(others)).length, 20);
    assert.equal(made, attempts);
  }
});

test('a request that another one delayed for long waits for a held key no longer than until its deadline', async () => {
  const commits = new Commits();
  commits.hold('event');
  await assert.rejects(commits.submitLate(DEADLINE_MS - 900, 'event'));
});

test('a read that came back late is the last thing that is done for a request', async () => {
  const commits = new Commits();
  commits.hold('event');
  commits.onFind = (requests) => {
    for (const request of requests) request.submittedAtMs -= DEADLINE_MS;
  };
  await assert.rejects(commits.submit('event'), unavailable);
  assert.deepEqual(commits.batches, [[1]], 'the batch alone was tried');
});
