import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The figures of an answer. */
export interface AnswerFigures {
  readonly operation: string | undefined;
  readonly status: number;
  readonly errorCode: string | undefined;
  readonly limit: string | undefined;
  readonly durationMs: number;
}

/** What the alerts look for: an operation has them from its first answer on, with 0. An increase is seen only of a series that was there before. */
const ALERTED = [
  { status: 0, code: 'none' },
  { status: 401, code: 'unauthorized' },
  { status: 503, code: 'internal_service_unavailable' },
];

/** @returns What counts a request that was answered. */
export function measureRequests(registry: Registry): (answer: AnswerFigures) => void {
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

interface LimitCounts {
  /** A limit refused a request, or ended one under way. */
  countLimit(limit: string): void;
  showLimits(limits: readonly string[]): void;
}

export function measureLimits(registry: Registry): LimitCounts {
  const hits = new Counter({
    name: 'partner_impact_limit_hits_total',
    help: 'How often a limit refused a request or ended a transfer or connection, by limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  return {
    countLimit: (limit) => hits.inc({ limit }),
    showLimits(limits) {
      for (const limit of limits) hits.inc({ limit }, 0);
    },
  };
}

/** @returns What is told how to count them. */
export function measureConnections(registry: Registry): (count: () => Promise<number>) => void {
  let count = () => Promise.resolve(0);
  new Gauge({
    name: 'partner_impact_connections',
    help: 'Open connections to the partner interface.',
    registers: [registry],
    collect() {
      return count().then((open) => this.set(open));
    },
  });
  return (counting) => {
    count = counting;
  };
}

export function measureInFlight(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'partner_impact_requests_in_flight',
    help: 'Requests of partners that arrived completely and are not answered yet.',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}

/** What a partner has stored in this UTC day, beside its quota. */
export interface QuotaFigures {
  readonly partnerId: string;
  readonly storedBytes: number;
  readonly bytesPerDay: number;
}

export function measureQuotas(registry: Registry, listNear: () => readonly QuotaFigures[]): void {
  new Gauge({
    name: 'partner_impact_storage_quota_used_ratio',
    help: 'What a partner has stored in this UTC day, as a share of its quota, from 0.8 on; above 1 by confirmations, which are never refused, or by one advance of the clock of a sandbox.',
    labelNames: ['partner_id'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset();
      for (const { partnerId, storedBytes, bytesPerDay } of listNear())
        this.set({ partner_id: partnerId }, storedBytes / bytesPerDay);
    },
  });
}
