import { Counter, type Registry } from 'prom-client';
import { type AttemptFigures, measureAttempts } from './attempt-metrics.ts';
import { measureDatabase, measurePool, type PoolUse } from './database-metrics.ts';
import { type DeliveryWatch, measurePace, type PaceFigures, watchDeliveries } from './delivery-metrics.ts';
import { inTime } from './in-time.ts';
import { type EndedRunFigures, type JobWatch, measureJobs } from './job-metrics.ts';
import { measureLog } from './log-metrics.ts';
import { openRegistry } from './registry.ts';
import {
  type AnswerFigures,
  measureConnections,
  measureInFlight,
  measureLimits,
  measureQuotas,
  measureRequests,
  type QuotaFigures,
} from './request-metrics.ts';

export interface Metrics {
  readonly registry: Registry;
  /** One attempt to deliver an event. */
  countAttempt(attempt: AttemptFigures): void;
  /** One run of a job that has ended. */
  countRun(run: EndedRunFigures): void;
  countAnswer(answer: AnswerFigures): void;
  /** Production received a request for something of the sandbox, which it does not have. */
  countSandboxRequest(asked: 'scenario' | 'path'): void;
  /** A record that differs from the audit was needed, and not used. */
  countUnverified(): void;
  /** The secret of an endpoint was needed that does not open with the given keys. */
  countUnreadableSecret(): void;
  /** A limit refused a request, or ended one under way. */
  countLimit(limit: string): void;
  /** From now on the metrics show these limits, with 0 before their first hit: an alert on the increase would not see a series that begins with it. */
  showLimits(limits: readonly string[]): void;
  /** From now on the metrics show how deliveries yield to answers. */
  watchPace(pace: PaceFigures): void;
  /** From now on the metrics show what is wrong with the database. */
  watchDatabase(reasons: () => readonly string[]): void;
  /** From now on the metrics show the dropped lines of the log. */
  watchLog(countDropped: () => number): void;
  /** From now on the metrics show the used share of the quotas of partners that are near them. */
  watchQuotas(listNear: () => readonly QuotaFigures[]): void;
  /** From now on the metrics show these connections of partners; they show 0 before. */
  watchConnections(count: () => Promise<number>): void;
  /** From now on the metrics show the requests in flight. */
  watchInFlight(count: () => number): void;
}

/** Prometheus metrics of one process. */
export function createMetrics(pool: PoolUse, watch: DeliveryWatch & JobWatch): Metrics {
  const registry = openRegistry();
  const countRequest = measureRequests(registry);
  measurePool(registry, pool);
  const { countLimit, showLimits } = measureLimits(registry);
  const sandboxRequests = new Counter({
    name: 'partner_impact_sandbox_requests_ignored_total',
    help: 'Requests in production that asked for a scenario or a path of the sandbox. A scenario is ignored, a path is 404.',
    labelNames: ['asked'],
    registers: [registry],
  });
  // An increase is seen only of a series that was there before.
  for (const asked of ['scenario', 'path']) sandboxRequests.inc({ asked }, 0);
  const unverified = new Counter({
    name: 'partner_impact_unverified_records_total',
    help: 'How often a key, a partner, a rule or an endpoint was needed that differs from the audit, and was not used.',
    registers: [registry],
  });
  const unreadableSecrets = new Counter({
    name: 'partner_impact_unreadable_secrets_total',
    help: 'How often a delivery was due whose endpoint has a secret that does not open with SECRETS_KEY; nothing was sent.',
    registers: [registry],
  });
  watchDeliveries(registry, {
    measureBacklog: inTime(watch.measureBacklog),
    listEndpointStates: inTime(watch.listEndpointStates),
  });
  const countRun = measureJobs(registry, {
    listJobStates: inTime(watch.listJobStates),
    findDifferences: inTime(watch.findDifferences),
  });
  return {
    registry,
    countAttempt: measureAttempts(registry),
    countRun,
    countLimit,
    showLimits,
    watchConnections: measureConnections(registry),
    watchInFlight: (count) => measureInFlight(registry, count),
    watchPace: (pace) => measurePace(registry, pace),
    watchDatabase: (reasons) => measureDatabase(registry, reasons),
    watchLog: (countDropped) => measureLog(registry, countDropped),
    watchQuotas: (listNear) => measureQuotas(registry, listNear),
    countUnverified: () => unverified.inc(),
    countUnreadableSecret: () => unreadableSecrets.inc(),
    countSandboxRequest: (asked) => sandboxRequests.inc({ asked }),
    countAnswer(answer) {
      if (answer.limit !== undefined) countLimit(answer.limit);
      countRequest(answer);
    },
  };
}
