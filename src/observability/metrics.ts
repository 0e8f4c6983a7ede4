import cluster from 'node:cluster';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  /** One attempt to deliver an event. */
  countAttempt(attempt: { isSuccess: boolean; errorClass: string | null; status: number | null; milliseconds: number }): void;
  countAnswer(answer: { operation: string | undefined; status: number; errorCode: string | undefined; durationMs: number }): void;
}

/** What the metrics show of the connections to the database. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Prometheus metrics of one process. */
export function createMetrics(pool: PoolUse): Metrics {
  const registry = new Registry();
  // Where several processes serve one port, the first one asks each for its own.
  AggregatorRegistry.setRegistries(registry);
  if (cluster.isWorker) new AggregatorRegistry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'partner_impact_requests_total',
    help: 'Answered requests, by operation, status and error code; status 0 is a client that left before the answer.',
    labelNames: ['operation', 'status', 'code'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'partner_impact_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'partner_impact_database_connections',
    help: 'Connections to the database, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  const attempts = new Counter({
    name: 'partner_impact_delivery_attempts_total',
    help: 'Attempts to deliver an event, by result: delivered, or the status or the class of the error.',
    labelNames: ['result'],
    registers: [registry],
  });
  const attemptDurations = new Histogram({
    name: 'partner_impact_delivery_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt to its answer.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  return {
    registry,
    countAttempt({ isSuccess, errorClass, status, milliseconds }) {
      attempts.inc({ result: isSuccess ? 'delivered' : (errorClass ?? String(status)) });
      attemptDurations.observe(milliseconds / 1000);
    },
    countAnswer({ operation = 'none', status, errorCode = 'none', durationMs }) {
      requests.inc({ operation, status, code: errorCode });
      durations.observe({ operation }, durationMs / 1000);
    },
  };
}

/** The sum over all processes that serve the port, for the one that started them. */
export function collectFromProcesses(): () => Promise<string> {
  const aggregator = new AggregatorRegistry();
  return () => aggregator.clusterMetrics();
}
