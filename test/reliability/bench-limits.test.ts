/** The arithmetic of `bench/limits`: what the costs of the parts allow on cores that this machine may not have. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Costs, type Placement, predict, predictMost } from '../../bench/limits/model.ts';

const COSTS: Costs = { microseconds: { service: 50, database: 40, load: 10 }, flushMicroseconds: 1_000 };
const ALL = ['service', 'database', 'load'] as const;

function allowed(change: Partial<Placement>, costs = COSTS) {
  return predict(costs, { name: '', processes: 1, connections: 128, groups: [{ cores: 2, parts: ALL }], ...change });
}

describe('the requests that costs allow', () => {
  test('parts that share a core share its time', () => {
    const { perSecond, limit } = allowed({ groups: [{ cores: 1, parts: ALL }] });
    assert.deepEqual([perSecond, limit], [10_000, '1 core for the service, PostgreSQL, the load']);
  });

  test('of parts with cores of their own the dearest counts', () => {
    const groups = [
      { cores: 1, parts: ['database'] },
      { cores: 1, parts: ['service', 'load'] },
    ] as const;
    assert.equal(Math.round(allowed({ groups }).perSecond), 16_667);
  });

  test('a process of the service uses one core, however many there are', () => {
    const groups = [{ cores: 16, parts: ALL }];
    const lookups = { ...COSTS, flushMicroseconds: undefined };
    assert.deepEqual(allowed({ groups }, lookups), { perSecond: 20_000, limit: '1 process of the service, a core each' });
    assert.equal(allowed({ groups, processes: 4 }, lookups).perSecond, 80_000);
  });

  test('with few requests under way their commits wait for flushes', () => {
    const { perSecond, limit } = allowed({ groups: [{ cores: 16, parts: ALL }], connections: 10 });
    assert.deepEqual([Math.round(perSecond), limit], [7_143, 'one batch at a time of 1 process']);
  });

  test('on more cores there are as many processes as they have time for', () => {
    assert.deepEqual(predictMost(COSTS, 9), {
      processes: 5,
      perSecond: 100_000,
      limit: '9 cores for the service, PostgreSQL',
    });
  });
});
