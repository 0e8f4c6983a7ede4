import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AggregatorRegistry } from 'prom-client';
import type { DeliveryWatch } from './delivery-metrics.ts';
import type { JobWatch } from './job-metrics.ts';
import { createMetrics } from './metrics.ts';

/** The figures of a process whose database knows one job. */
function metricsOf(job: { lastSuccessAt: Date | null }, watch: Partial<DeliveryWatch & JobWatch> = {}) {
  return createMetrics(
    { totalCount: 0, idleCount: 0, waitingCount: 0 },
    {
      measureBacklog: async () => ({
        waiting: 0,
        oldestWaitingSeconds: 0,
        exhausted: 0,
        exhaustedEndpoints: [],
        relayLagSeconds: 0,
      }),
      listEndpointStates: async () => [],
      listJobStates: async () => [{ jobName: 'verify', ...job }],
      findDifferences: async () => undefined,
      ...watch,
    },
  );
}

describe('the figures of several processes', () => {
  const OF_ONE = ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_open_fds', 'process_max_fds'];
  for (const name of OF_ONE)
    test(`${name} is that of the process with the largest`, async () => {
      const figures = await metricsOf({ lastSuccessAt: null }).registry.getMetricsAsJSON();
      const of = (value: number) =>
        figures.filter((metric) => metric.name === name).map((metric) => ({ ...metric, values: [{ value, labels: {} }] }));
      const text = await AggregatorRegistry.aggregate([of(2), of(7), of(1)] as never).metrics();
      assert.match(text, new RegExp(`^${name} 7$`, 'm'));
    });
});

test('one block of the event loop is seen until the next scrape, however many turns there were beside it', async () => {
  const { registry } = metricsOf({ lastSuccessAt: null });
  const read = async () => Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await registry.metrics())?.[1]);
  await read();
  // The clock of the measurement starts with a turn.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const untilMs = performance.now() + 300;
  while (performance.now() < untilMs);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const seconds = await read();
  assert.ok(seconds > 0.2, `${seconds}`);
});

test('figures of deliveries that cannot be measured are absent, each for itself, from the start and later', async () => {
  const state = { partnerId: 'ptn_1', endpointId: 'wep_1', state: 'healthy' };
  const answers: Partial<DeliveryWatch>[] = [];
  const next = () => answers.at(-1) ?? {};
  const { registry } = metricsOf(
    { lastSuccessAt: null },
    {
      measureBacklog: () => next().measureBacklog?.() ?? Promise.reject(new Error('No answer.')),
      listEndpointStates: () => next().listEndpointStates?.() ?? Promise.reject(new Error('No answer.')),
    },
  );
  const listShown = async () => {
    const lines = (await registry.metrics()).split('\n');
    return lines.filter((line) => /^partner_impact_(deliver(ies|y_oldest)|event_relay|endpoint_(state|exhausted))/.test(line));
  };
  assert.deepEqual(await listShown(), []);
  answers.push({ measureBacklog: async () => ({ waiting: 3, relayLagSeconds: 2 }), listEndpointStates: async () => [state] });
  assert.deepEqual(await listShown(), [
    'partner_impact_deliveries_waiting 3',
    'partner_impact_event_relay_lag_seconds 2',
    'partner_impact_endpoint_state{partner_id="ptn_1",endpoint_id="wep_1",state="healthy"} 1',
  ]);
  const exhaustedEndpoints = ['wep_1', 'wep_2'].map((endpointId) => ({ partnerId: 'ptn_1', endpointId }));
  answers.push({ measureBacklog: async () => ({ exhausted: 1, exhaustedEndpoints }) });
  assert.deepEqual(await listShown(), [
    'partner_impact_deliveries_exhausted 1',
    'partner_impact_endpoint_exhausted{partner_id="ptn_1",endpoint_id="wep_1"} 1',
    'partner_impact_endpoint_exhausted{partner_id="ptn_1",endpoint_id="wep_2"} 1',
  ]);
  answers.push({ measureBacklog: async () => ({ exhaustedEndpoints: [] }) });
  assert.deepEqual(await listShown(), [], 'none of an endpoint whose deliveries were sent again');
});

test('modified records are absent until they can be read, 0 before the first verification, and stay through an outage', async () => {
  const answers: (number | undefined | Error)[] = [new Error('No answer.'), undefined, 2, new Error('No answer.')];
  const findDifferences = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { registry } = metricsOf({ lastSuccessAt: null }, { findDifferences });
  const shown = async () => /^partner_impact_verify_differences (.*)$/m.exec(await registry.metrics())?.[1];
  assert.deepEqual([await shown(), await shown(), await shown(), await shown()], [undefined, '0', '2', '2']);
});

describe('what an alert compares with what it was before has 0', () => {
  test('before the first failed run of a job', async () => {
    const { registry } = metricsOf({ lastSuccessAt: null });
    assert.match(await registry.metrics(), /^partner_impact_job_runs_total\{job="verify",outcome="failed"\} 0$/m);
  });

  test('before the first answer of an operation that says that the outcome is unknown, and is not reset by a later one', async () => {
    const { registry, countAnswer } = metricsOf({ lastSuccessAt: null });
    const answer = { operation: 'confirmContribution', status: 201, errorCode: undefined, limit: undefined, durationMs: 1 };
    const shown = async () =>
      /^partner_impact_requests_total.*"internal_service_unavailable".*/m.exec(await registry.metrics())?.[0];
    countAnswer(answer);
    const series =
      'partner_impact_requests_total{operation="confirmContribution",status="503",code="internal_service_unavailable"}';
    assert.equal(await shown(), `${series} 0`);
    countAnswer({ ...answer, status: 503, errorCode: 'internal_service_unavailable' });
    countAnswer(answer);
    assert.equal(await shown(), `${series} 1`);
  });
});

describe('partners that a run left', () => {
  const run = { job: { name: 'verify' }, outcome: 'failed', milliseconds: 5, partnersLeft: 3 };

  test('are shown until a run of another process succeeds', async () => {
    const job = { lastSuccessAt: new Date(0) };
    const { registry, countRun } = metricsOf(job);
    const shown = async () => /^partner_impact_job_partners_left.*/m.exec(await registry.metrics())?.[0];
    countRun(run);
    assert.equal(await shown(), 'partner_impact_job_partners_left{job="verify"} 3');
    job.lastSuccessAt = new Date(1_000);
    assert.equal(await shown(), 'partner_impact_job_partners_left{job="verify"} 0');
  });
});

test('requests for the sandbox in production are there with 0 before the first, of which an alert on the increase would not tell', async () => {
  const { registry } = metricsOf({ lastSuccessAt: null });
  const lines = (await registry.metrics()).split('\n');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('partner_impact_sandbox_requests_ignored_total')),
    ['scenario', 'path'].map((asked) => `partner_impact_sandbox_requests_ignored_total{asked="${asked}"} 0`),
  );
});

test('attempts are counted by their status where HTTP defines it, and by its class otherwise', async () => {
  const { registry, countAttempt } = metricsOf({ lastSuccessAt: null });
  const listCounted = async () =>
    [...(await registry.metrics()).matchAll(/^partner_impact_delivery_attempts_total\{result="(\w+)"\} (\d+)$/gm)].map(
      ([, result, count]) => `${result} ${count}`,
    );
  const attempt = { errorClass: null, milliseconds: 5 };
  for (const status of [302, 404, 503, 520, 521, 999]) countAttempt({ ...attempt, isSuccess: false, status });
  countAttempt({ ...attempt, isSuccess: true, status: 299 });
  countAttempt({ ...attempt, isSuccess: false, status: null, errorClass: 'timeout' });
  assert.deepEqual(await listCounted(), ['delivered 1', '302 1', '404 1', '503 1', '5xx 2', 'other 1', 'timeout 1']);
  for (let status = 100; status < 1_000; status++) countAttempt({ ...attempt, isSuccess: false, status });
  assert.ok((await listCounted()).length < 80);
});
