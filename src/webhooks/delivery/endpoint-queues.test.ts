import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { USABLE_MS } from '../../domain/webhooks/delivery-lease.ts';
import type { DueEndpoint } from '../../store/webhooks/due-endpoint.ts';
import { EndpointQueues, type Ready, type Sent } from './endpoint-queues.ts';

const DELIVERED: Sent = { isDelivered: true, isPaused: false, pausedUntil: undefined };
const FAILED: Sent = { ...DELIVERED, isDelivered: false };

interface Task extends Ready {
  readonly of: string;
  readonly number: number;
}

/** EndpointQueues whose attempts end when the test says so. */
function openQueues(mayBegin = () => true) {
  const underWay: { task: Task; recipient: string; end: (sent: Sent) => void }[] = [];
  const givenBack: { tasks: readonly Task[]; dueAt: Date | undefined }[] = [];
  const queues = new EndpointQueues<Task, string>({
    send: (task, recipient) => new Promise((end) => underWay.push({ task, recipient, end })),
    mayBegin,
    onRoom: () => {},
    onUnsent: (tasks, dueAt) => givenBack.push({ tasks, dueAt }),
  });
  const claim = (
    endpointId: string,
    most = Number.POSITIVE_INFINITY,
    health: DueEndpoint['health'] = 'healthy',
    claimedAtMs = performance.now(),
  ) => {
    const endpoint = { partnerId: 'ptn_1', endpointId, health } as DueEndpoint;
    const room = Math.min(queues.roomFor(endpoint), most);
    const tasks = Array.from({ length: room }, (_, number) => ({ of: endpointId, number, claimedAtMs }));
    queues.add(endpoint, 'first', { tasks, isAsking: room < most });
    return room;
  };
  const countOf = (endpointId: string) => underWay.filter(({ task }) => task.of === endpointId).length;
  /** The oldest attempt of an endpoint ends. */
  const endOne = async (endpointId: string, sent = DELIVERED) => {
    const index = underWay.findIndex(({ task }) => task.of === endpointId);
    underWay.splice(index, 1)[0]?.end(sent);
    await new Promise(setImmediate);
  };
  return { queues, underWay, givenBack, claim, countOf, endOne };
}

const named = (count: number) => Array.from({ length: count }, (_, index) => `wep_slow-${index}`);

describe('however many endpoints are slow, the next one', () => {
  for (const count of [16, 150, 250])
    test(`has its first deliveries claimed and sent at once, beside ${count}`, () => {
      const { claim, countOf } = openQueues();
      for (const name of named(count)) claim(name);
      assert.ok(claim('wep_next', 10) >= 1);
      assert.ok(countOf('wep_next') >= 1);
    });

  test('gets all ten sent while not one of sixteen others has ended', async () => {
    const { claim, countOf, endOne, underWay } = openQueues();
    for (const name of named(16)) claim(name);
    const before = underWay.length;
    assert.equal(claim('wep_next', 10), 10);
    for (let count = 0; count < 10; count++) await endOne('wep_next');
    assert.deepEqual([countOf('wep_next'), underWay.length], [0, before]);
  });

  test('is not kept waiting by those that fail, however many they are', () => {
    const { claim, countOf, underWay } = openQueues();
    for (const name of named(5_000)) claim(name, undefined, 'failing');
    assert.ok(underWay.length <= 512, 'half of the places');
    assert.equal(claim('wep_next', 10), 10);
    assert.ok(countOf('wep_next') >= 1);
  });
});

test('while every place is taken an attempt that ends costs no look at every endpoint that waits', async () => {
  const { claim, countOf, endOne, queues, underWay } = openQueues();
  for (const name of named(1_024)) claim(name, 2);
  assert.equal(underWay.length, 1_024, 'every place');
  let looks = 0;
  const tasks = named(500).map((name) => ({
    of: `${name}-waiting`,
    number: 0,
    get claimedAtMs() {
      looks++;
      return performance.now();
    },
  }));
  for (const task of tasks) {
    const endpoint = { partnerId: 'ptn_1', endpointId: task.of, health: 'healthy' } as DueEndpoint;
    queues.add(endpoint, 'first', { tasks: [task], isAsking: false });
  }
  const crowded = tasks.filter(({ of }) => countOf(of) === 0).length;
  assert.equal(crowded, 500);
  looks = 0;
  await endOne('wep_slow-0');
  assert.equal(underWay.length, 1_024);
  assert.ok(looks <= 2, `${looks} looks`);
});

test('what has waited for too long is released although no place is free', () => {
  const { claim, givenBack, queues } = openQueues();
  for (const name of named(1_024)) claim(name, 2);
  const task = { of: 'wep_late', number: 0, claimedAtMs: performance.now() };
  const endpoint = { partnerId: 'ptn_1', endpointId: 'wep_late', health: 'healthy' } as DueEndpoint;
  queues.add(endpoint, 'first', { tasks: [task], isAsking: false });
  queues.releaseStale();
  assert.deepEqual(givenBack, []);
  task.claimedAtMs -= 60_000;
  queues.releaseStale();
  assert.deepEqual(
    givenBack.map(({ tasks }) => tasks),
    [[task]],
  );
});

test('endpoints that deliver come to hold the same, whoever began: whoever left a place does not get it back before the others', async () => {
  const { claim, countOf, endOne } = openQueues();
  const all = named(20);
  for (const name of all) claim(name);
  assert.ok(countOf('wep_slow-0') - countOf('wep_slow-19') > 60, 'at first');
  for (let round = 0; round < 100; round++)
    for (const name of all) {
      await endOne(name);
      claim(name);
    }
  const counts = all.map(countOf);
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, `${counts}`);
  assert.ok(Math.min(...counts) >= 30, `${counts}`);
});

test('one endpoint alone has 64 under way and 512 claimed; when it fails 4, and one delivery tries it out', async () => {
  const { claim, countOf, endOne } = openQueues();
  assert.equal(claim('wep_1'), 512);
  assert.equal(countOf('wep_1'), 64);
  assert.equal(claim('wep_1'), 0);
  for (let count = 0; count < 64; count++) await endOne('wep_1', FAILED);
  assert.equal(countOf('wep_1'), 4);
  assert.deepEqual([claim('wep_2', undefined, 'failing'), claim('wep_3', undefined, 'half_open')], [4, 1]);
});

test('when an attempt pauses its endpoint, what waits for a place goes back, due when the pause ends; what is under way does not', async () => {
  const { claim, countOf, endOne, givenBack, queues } = openQueues();
  claim('wep_1');
  const pausedUntil = new Date(1_000);
  await endOne('wep_1', { isDelivered: false, isPaused: true, pausedUntil });
  assert.deepEqual([givenBack[0]?.tasks.length, givenBack[0]?.dueAt, countOf('wep_1')], [512 - 64, pausedUntil, 63]);
  assert.deepEqual(queues.listWaiting(), []);
});

test('what was claimed 40 s ago goes back without an attempt: its lease might end before the attempt does', async () => {
  const { claim, countOf, givenBack } = openQueues();
  claim('wep_1', undefined, 'healthy', performance.now() - USABLE_MS - 1);
  assert.deepEqual([countOf('wep_1'), givenBack[0]?.tasks.length, givenBack[0]?.dueAt], [0, 512, undefined]);
});

test('what waits is sent as the endpoint is by then, or withdrawn, or given back by a stop', async () => {
  const { claim, endOne, givenBack, queues, underWay } = openQueues();
  for (const name of ['wep_1', 'wep_2', 'wep_3']) claim(name);
  const id = { partnerId: 'ptn_1', endpointId: 'wep_1' };
  queues.update(id, 'second');
  await endOne('wep_1');
  assert.equal(underWay.at(-1)?.recipient, 'second');
  queues.withdraw({ ...id, endpointId: 'wep_2' });
  assert.equal(givenBack[0]?.tasks.length, 512 - 64);
  const closed = queues.close();
  assert.equal(givenBack.length, 3);
  while (underWay.length > 0) await endOne(underWay[0]?.task.of as string);
  await closed;
});

describe('while deliveries are held back', () => {
  test('nothing begins, each queue asks for no place of its own, and all begin again in their order', async () => {
    let [left, asked] = [2, 0];
    const { claim, countOf, endOne, queues } = openQueues(() => {
      asked++;
      return left-- > 0;
    });
    for (const name of ['wep_1', 'wep_2', 'wep_3']) claim(name, 3);
    assert.deepEqual([countOf('wep_1'), countOf('wep_2'), countOf('wep_3'), asked], [2, 0, 0, 3]);
    // An end makes no room, however many wait.
    await endOne('wep_1');
    assert.deepEqual([countOf('wep_1'), asked], [1, 3]);
    left = 4;
    queues.resume();
    assert.deepEqual([countOf('wep_1'), countOf('wep_2'), countOf('wep_3')], [2, 3, 0]);
    left = 100;
    queues.resume();
    assert.equal(countOf('wep_3'), 3);
  });

  test('an endpoint whose deliveries were withdrawn has one queue again, which is told of its changes', async () => {
    let left = 1;
    const { claim, endOne, queues } = openQueues(() => left-- > 0);
    claim('wep_1', 3);
    queues.withdraw({ partnerId: 'ptn_1', endpointId: 'wep_1' });
    await endOne('wep_1');
    claim('wep_1', 3);
    left = 1;
    queues.resume();
    assert.deepEqual(queues.listWaiting(), [{ partnerId: 'ptn_1', endpointId: 'wep_1' }]);
  });

  test('a stop gives back all that waits', async () => {
    const { claim, givenBack, queues } = openQueues(() => false);
    for (const name of ['wep_1', 'wep_2']) claim(name, 3);
    await queues.close();
    assert.deepEqual(
      givenBack.map(({ tasks }) => tasks.length),
      [3, 3],
    );
  });
});
