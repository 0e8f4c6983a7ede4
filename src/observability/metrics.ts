import { createRequire } from 'node:module';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type DeliveryWatch, watchDeliveries } from './delivery-metrics.ts';
import { type EndedRunFigures, type JobWatch, measureJobs } from './job-metrics.ts';

/** An `import` makes Node load its client for WebSockets as well. */
const { STATUS_CODES } = createRequire(import.meta.url)('node:http') as typeof import('node:http');

export interface Metrics {
  readonly registry: Registry;
  /** One attempt to deliver an event. */
  countAttempt(attempt: { isSuccess: boolean; errorClass: string | null; status: number | null; milliseconds: number }): void;
  /** One run of a job that has ended. */
  countRun(run: EndedRunFigures): void;
  /** Shows the used share of the quotas of partners that are near them. */
  watchQuotas(listNear: () => readonly { partnerId: string; storedBytes: number; bytesPerDay: number }[]): void;
  countAnswer(answer: AnswerFigures): void;
  /** Production received a request for something of the sandbox, which it does not have. */
  countSandboxRequest(asked: 'scenario' | 'path'): void;
  /** A record that differs from the audit was needed, and not used. */
  countUnverified(): void;
  /** A limit refused a request, or ended one under way. */
  countLimit(limit: string): void;
  /** From now on the metrics show these limits, with 0 before their first hit: an alert on the increase would not see a series that begins with it. */
  showLimits(limits: readonly string[]): void;
  /** From now on the metrics show how deliveries yield to answers. */
  watchPace(pace: { readonly limitPerSecond: number; readonly slowedSeconds: number }): void;
  /** From now on the metrics show what is wrong with the database. */
  watchDatabase(reasons: () => readonly string[]): void;
  /** From now on the metrics show the dropped lines of the log. */
  watchLog(countDropped: () => number): void;
  /** From now on the metrics show the connections of partners. */
  watchConnections(count: () => Promise<number>): void;
  /** From now on the metrics show the requests in flight. */
  watchInFlight(count: () => number): void;
}

/** The figures of an answer. */
export interface AnswerFigures {
  readonly operation: string | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly limit: string | undefined;
  readonly durationMs: number;
}

/** The figures of the connections to the database. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** What is wrong with one of several processes does not show in their sum or their average. */
const OF_ONE_PROCESS = /^(nodejs_eventloop_lag_|process_resident_memory_bytes|process_open_fds|process_max_fds)/;

/** With the metrics of Node. Those of several processes that do not add up are those of the process with the largest. */
function openRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray())
    if (OF_ONE_PROCESS.test(metric.name)) Object.assign(metric, { aggregator: 'max' });
  return registry;
}

/** Prometheus metrics of one process. */
export function createMetrics(pool: PoolUse, watch: DeliveryWatch & JobWatch): Metrics {
  const registry = openRegistry();
  const countRequest = measureRequests(registry);
  new Gauge({
    name: 'partner_impact_database_connections',
    help: 'Connections to the database for requests of partners, and statements that wait for one. Confirmations wait before that, in queues.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  const { countLimit, showLimits, watchConnections } = measureLimits(registry);
  const sandboxRequests = new Counter({
    name: 'partner_impact_sandbox_requests_ignored_total',
    help: 'Requests in production that asked for a scenario or a path of the sandbox. A scenario is ignored, a path is 404.',
    labelNames: ['asked'],
    registers: [registry],
  });
  const attempts = new Counter({
    name: 'partner_impact_delivery_attempts_total',
    help: 'Attempts to deliver an event, by result: delivered, the class of the error, or the status: that of HTTP, 3xx, 4xx or 5xx for others, and other beyond.',
    labelNames: ['result'],
    registers: [registry],
  });
  const attemptDurations = new Histogram({
    name: 'partner_impact_delivery_attempt_duration_seconds',
    help: 'Time from the beginning of an attempt to its answer.',
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [registry],
  });
  const unverified = new Counter({
    name: 'partner_impact_unverified_records_total',
    help: 'How often a key, a partner, a rule or an endpoint was needed that differs from the audit, and was not used.',
    registers: [registry],
  });
  watchDeliveries(registry, watch);
  const countRun = measureJobs(registry, watch);
  return {
    registry,
    countRun,
    countLimit,
    showLimits,
    watchConnections,
    watchInFlight: (count) => measureInFlight(registry, count),
    watchPace: (pace) => measurePace(registry, pace),
    watchDatabase: (reasons) => measureDatabase(registry, reasons),
    watchLog: (countDropped) => measureLog(registry, countDropped),
    watchQuotas: measureQuotas(registry),
    countUnverified: () => unverified.inc(),
    countSandboxRequest: (asked) => sandboxRequests.inc({ asked }),
    countAttempt({ isSuccess, errorClass, status, milliseconds }) {
      attempts.inc({ result: isSuccess ? 'delivered' : (errorClass ?? labelOf(status ?? 0)) });
      attemptDurations.observe(milliseconds / 1000);
    },
    countAnswer(answer) {
      if (answer.limit !== undefined) countLimit(answer.limit);
      countRequest(answer);
    },
  };
}

/** A receiver may answer any number of three digits, and each label is a series of its own. */
function labelOf(status: number): string {
  if (STATUS_CODES[status] !== undefined) return String(status);
  return status >= 200 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

/** What the alerts look for: an operation has them from its first answer on, with 0. An increase is seen only of a series that was there before. */
const ALERTED = [
  { status: 0, code: 'none' },
  { status: 401, code: 'unauthorized' },
  { status: 503, code: 'internal_service_unavailable' },
];

/** @returns What counts a request that was answered. */
function measureRequests(registry: Registry): (answer: AnswerFigures) => void {
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
  const operations = new Set<string>();
  return ({ operation = 'none', status, errorCode = 'none', durationMs }) => {
    if (!operations.has(operation)) for (const alerted of ALERTED) requests.inc({ operation, ...alerted }, 0);
    operations.add(operation);
    requests.inc({ operation, status, code: errorCode });
    durations.observe({ operation }, durationMs / 1000);
  };
}

function measureLimits(registry: Registry): Pick<Metrics, 'countLimit' | 'showLimits' | 'watchConnections'> {
  const hits = new Counter({
    name: 'partner_impact_limit_hits_total',
    help: 'How often a limit refused a request or ended a transfer or connection, by limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  let count = () => Promise.resolve(0);
  new Gauge({
    name: 'partner_impact_connections',
    help: 'Open connections to the partner interface.',
    registers: [registry],
    collect() {
      return count().then((open) => this.set(open));
    },
  });
  return {
    countLimit: (limit) => hits.inc({ limit }),
    showLimits(limits) {
      for (const limit of limits) hits.inc({ limit }, 0);
    },
    watchConnections(counting) {
      count = counting;
    },
  };
}

function measureInFlight(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'partner_impact_requests_in_flight',
    help: 'Requests of partners that arrived completely and are not answered yet.',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}

function measureDatabase(registry: Registry, reasons: () => readonly string[]): void {
  new Gauge({
    name: 'partner_impact_database_problem',
    help: 'Always 1; why the database does not do all of its work. Absent while it does.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const reason of reasons()) this.set({ reason }, 1);
    },
  });
}

function measureLog(registry: Registry, countDropped: () => number): void {
  countFrom(registry, {
    name: 'partner_impact_log_lines_dropped_total',
    help: 'Lines of the log that were dropped because standard output was not read, or could not be written.',
    count: countDropped,
  });
}

interface CountedElsewhere {
  readonly name: string;
  readonly help: string;
  /** The total so far. */
  count(): number;
}

function countFrom(registry: Registry, { name, help, count }: CountedElsewhere): void {
  let shown = 0;
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      const total = count();
      this.inc(total - shown);
      shown = total;
    },
  });
}

function measurePace(registry: Registry, pace: Parameters<Metrics['watchPace']>[0]): void {
  new Gauge({
    name: 'partner_impact_delivery_limit_per_second',
    help: 'Deliveries that may begin in a second while answers to partners wait; 0 without a limit.',
    registers: [registry],
    collect() {
      this.set(pace.limitPerSecond);
    },
  });
  countFrom(registry, {
    name: 'partner_impact_delivery_slowed_seconds_total',
    help: 'For how long deliveries waited because answers to partners come first.',
    count: () => pace.slowedSeconds,
  });
}

function measureQuotas(registry: Registry): Metrics['watchQuotas'] {
  let list: Parameters<Metrics['watchQuotas']>[0] = () => [];
  new Gauge({
    name: 'partner_impact_storage_quota_used_ratio',
    help: 'What a partner has stored in this UTC day, as a share of its quota, from 0.8 on; above 1 by confirmations, which are never refused.',
    labelNames: ['partner_id'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset();
      for (const { partnerId, storedBytes, bytesPerDay } of list())
        this.set({ partner_id: partnerId }, storedBytes / bytesPerDay);
    },
  });
  return (listNear) => {
    list = listNear;
  };
}

/** What the process that starts several others knows. */
export interface OwnFigures {
  /** What is wrong with the database. */
  databaseReasons(): readonly string[];
  /** How many processes are missing. */
  countMissing(): number;
  /** How many that took requests have died. */
  countDied(): number;
  /** Dropped lines of its log. */
  countDropped(): number;
}

/** The metrics of the process that starts several others. */
export function openOwnMetrics({ databaseReasons, countMissing, countDied, countDropped }: OwnFigures): Registry {
  const own = openRegistry();
  measureLog(own, countDropped);
  measureDatabase(own, databaseReasons);
  new Gauge({
    name: 'partner_impact_processes_missing',
    help: 'Processes that take no requests now and are to: they start, or died and cannot be replaced.',
    registers: [own],
    collect() {
      this.set(countMissing());
    },
  });
  countFrom(own, {
    name: 'partner_impact_processes_died_total',
    help: 'Processes that took requests and died, by themselves or because they did not respond; each is replaced.',
    count: countDied,
  });
  return own;
}
