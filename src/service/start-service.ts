/**
 * This folder puts the parts together: it opens the database and the keys, and starts and stops the parts of a process, in order. It
 * decides nothing about a partner's request.
 */

import type { Config } from '../config.ts';
import type { PasswordCosts } from '../domain/access/password.ts';
import type { Log } from '../observability/log.ts';
import { createMetrics, type Metrics } from '../observability/metrics.ts';
import { measureOperators } from '../observability/operator-metrics.ts';
import { measureStart } from '../observability/start-metrics.ts';
import { UnverifiedRecordError } from '../operations/audit/unverified-record.ts';
import { POOL_SIZE } from '../operations/create-operations.ts';
import { RecentContributions } from '../operations/events/recent-contributions.ts';
import { keepCompletingReconciliations } from '../schedule/complete-reconciliations.ts';
import { VERIFY_JOB } from '../schedule/jobs/verify.ts';
import { listJobs } from '../schedule/jobs.ts';
import { openSchedule, SCHEDULE_POOL_SIZE } from '../schedule/scheduler.ts';
import { openSimulatedReviews } from '../schedule/simulated-reviews.ts';
import type { Database } from '../store/database.ts';
import { listJobStates } from '../store/jobs/job.ts';
import { listLastJobResults } from '../store/jobs/job-run.ts';
import { measureBacklogInPart } from '../store/webhooks/delivery-backlog.ts';
import { listEndpointStates } from '../store/webhooks/endpoint-state.ts';
import { WORKERS_POOL_SIZE, WorkerWatch } from '../store/worker-watch.ts';
import { Pace } from '../webhooks/delivery/pace.ts';
import { SecretUnreadableError } from '../webhooks/security/secret-box.ts';
import { openWebhooks, WEBHOOKS_POOL_SIZE, type Webhooks } from '../webhooks/start-webhooks.ts';
import { openConfiguredAdminListener } from './configured-admin-listener.ts';
import { DatabaseWatch, WATCH_POOL_SIZE } from './database-watch.ts';
import { endInTime } from './end-in-time.ts';
import { openConfiguredSecretBox } from './keys/configured-keys.ts';
import { configuredSettlementTools } from './keys/configured-seals.ts';
import { logAlert, logRun } from './log-lines.ts';
import { once } from './once.ts';
import { connectStore, type Store } from './open-database.ts';
import { openOperators } from './open-operators.ts';
import { openServiceLog } from './open-service-log.ts';
import { openUsage } from './open-usage.ts';
import { requireFreePorts } from './ports.ts';
import { errorReports } from './report-errors.ts';
import { SERVICE_ROLES, type ServiceRole } from './role.ts';
import { type PartnerApiSettings, type PartnerApiTools, startPartnerApi } from './start-partner-api.ts';

export interface Service {
  /** The address for partners, such as `http://127.0.0.1:8080`; empty without the role `api`. */
  readonly baseUrl: string;
  /** The port of the admin listener. */
  readonly operationsPort: number;
  readonly database: Database;
  readonly log: Log;
  /**
   * Answers accepted requests, then closes each part, which gets a few seconds. The command `serve` limits the time of all together. A
   * second call waits for the first.
   */
  stop(): Promise<void>;
}

export interface ServiceOptions extends Pick<PartnerApiSettings, 'rulesOf' | 'clock'> {
  readonly onProgress?: (sentence: string) => void;
  /** The costs of the operators' passwords; the usual ones by default. */
  readonly passwordCosts?: PasswordCosts;
  /** All roles by default. */
  readonly roles?: readonly ServiceRole[];
}

/** A process that takes requests, alone or beside others. */
export interface ServiceProcess extends Omit<Service, 'operationsPort'>, Pick<Store, 'findFailure'> {
  readonly metrics: Metrics;
  /** Connections beside its own, closed with it, and after the interface of partners. */
  openPool(size: number): Database;
  /** Called after the interface of partners has closed, and before the connections that were opened beside. */
  closeLate(close: () => Promise<void>): void;
}

/** Concurrent readers of the metrics share one collection, and take no connection from what the metrics measure. */
const METRICS_POOL_SIZE = 1;

/**
 * Creates the parts in order and starts them: admin listener, database, operations, interface.
 *
 * @throws Error With a sentence for the operator: settings, database, durability or a busy port.
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  await requireFreePorts(config, options.roles ?? SERVICE_ROLES);
  await using parts = new AsyncDisposableStack();
  const listener = await openConfiguredAdminListener(config);
  parts.defer(listener.close);
  const state = { isStopping: false };
  const { passwordCosts } = options;
  const troubles: { tell?: (error: unknown) => void } = {};
  const service = await startServiceProcess(config, { ...options, isFirst: true, onTrouble: (error) => troubles.tell?.(error) });
  parts.defer(service.stop);
  const workers = service.database.isDistributed ? new WorkerWatch(service.openPool(WORKERS_POOL_SIZE)) : undefined;
  const database = service.openPool(WATCH_POOL_SIZE);
  const watch = new DatabaseWatch({ ...service, database, workers, logger: service.log.logger });
  parts.defer(() => watch.close());
  troubles.tell = watch.note;
  service.metrics.watchDatabase(() => watch.reasons);
  measureStart(service.metrics.registry);
  const operators =
    options.roles?.includes('api') === false
      ? undefined
      : await openOperators(config, {
          ...service,
          passwordCosts,
          baseUrl: () => service.baseUrl,
          counts: measureOperators(service.metrics.registry),
        });
  if (operators) {
    service.closeLate(operators.jobsEnded);
    parts.defer(operators.close);
  }
  listener.answerBy({
    further: operators?.handle,
    metrics: () => service.metrics.registry.metrics(),
    checkReadiness: async () => {
      if (state.isStopping) throw new Error('the service is stopping');
      return watch.check();
    },
  });
  const toStop = parts.move();
  const stop = async () => {
    state.isStopping = true;
    await toStop.disposeAsync();
  };
  return { ...service, operationsPort: listener.port, stop: once(stop) };
}

export interface ServiceProcessOptions extends ServiceOptions, Pick<PartnerApiSettings, 'processes' | 'onTrouble'> {
  /** Whether this is the first process, which migrates the database and runs the embedded server. */
  readonly isFirst: boolean;
  /** Where the first process finds the tables. */
  readonly schema?: string | undefined;
}

/** The parts of one process: everything except the admin listener. */
export async function startServiceProcess(config: Config, options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { isFirst, schema, onProgress = () => {}, onTrouble = () => {}, roles = SERVICE_ROLES } = options;
  const log = openServiceLog(config.logLevel);
  const parts = new AsyncDisposableStack();
  try {
    const embeddedServer = isFirst ? 'keep' : 'attach';
    const forStore = { migrates: isFirst, embeddedServer, schema, poolSize: POOL_SIZE, logger: log.logger, onProgress } as const;
    const store = await connectStore(config, forStore);
    parts.defer(() => store.close());
    const { database } = store;
    const late = parts.use(new AsyncDisposableStack());
    const openPoolIn = (stack: AsyncDisposableStack) => (size: number) => {
      const pool = store.openPool(size);
      stack.defer(() => pool.close());
      return pool;
    };
    const openPool = openPoolIn(parts);
    const watched = openPool(METRICS_POOL_SIZE);
    const metrics = createMetrics(database.pool, {
      measureBacklog: () => measureBacklogInPart(watched),
      listEndpointStates: () => listEndpointStates(watched.pool),
      listJobStates: () => listJobStates(watched.pool),
      findDifferences: async () => {
        const results = await listLastJobResults(watched.pool, VERIFY_JOB);
        const counts = results.map((result) => (JSON.parse(result) as { differences: number }).differences);
        return counts.length === 0 ? undefined : Math.max(...counts);
      },
    });
    metrics.watchLog(log.countDropped);
    const recent = roles.includes('webhooks') ? new RecentContributions() : undefined;
    const pace = new Pace();
    if (roles.includes('webhooks')) metrics.watchPace(pace);
    const report = errorReports(log, onTrouble);
    const usage = openUsage(database, log);
    parts.defer(() => usage.close());
    metrics.watchQuotas(usage.listNear);
    const tools: Tools = { config, options, log, report, metrics, recent, pace, usage };
    if (roles.includes('webhooks')) parts.defer(endInTime(startWebhooks(tools, openPool(WEBHOOKS_POOL_SIZE))));
    if (roles.includes('schedule')) startSchedule(tools, openPool(SCHEDULE_POOL_SIZE), parts);
    const baseUrl = roles.includes('api') ? await startPartnerApi({ ...tools, store, openPool }, options, parts) : '';
    const stop = async () => {
      await parts.disposeAsync();
      await log.flush();
    };
    const forOthers = { openPool: openPoolIn(late), closeLate: (close: () => Promise<void>) => late.defer(close) };
    return { baseUrl, database, log, metrics, ...forOthers, findFailure: store.findFailure, stop: once(stop) };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

interface Tools extends Omit<PartnerApiTools, 'store' | 'openPool'> {
  readonly options: ServiceProcessOptions;
}

function startWebhooks(
  { config, options: { clock = Date.now }, log, report, metrics, recent, pace, usage }: Tools,
  database: Database,
): Webhooks {
  const reportFailed = report('error', 'events could not be delivered; the service tries again');
  return openWebhooks({
    database,
    ...(recent && { recent }),
    pace,
    usage,
    environment: config.environment,
    secretBox: openConfiguredSecretBox(config),
    allowInsecure: config.allowsInsecureWebhooks,
    allowThisMachine: config.allowsWebhooksToThisMachine,
    clock,
    onAttempt: metrics.countAttempt,
    onDisabled: ({ partnerId: partner_id, endpointId: endpoint_id, reason }) =>
      log.logger.warn(
        { partner_id, endpoint_id, reason },
        'a webhook endpoint was disabled: its events are held until it is enabled',
      ),
    onError(error) {
      if (error instanceof UnverifiedRecordError) metrics.countUnverified();
      if (error instanceof SecretUnreadableError) metrics.countUnreadableSecret();
      reportFailed(error);
    },
  });
}

function startSchedule(
  { config, options, log, report, metrics, usage }: Tools,
  database: Database,
  parts: AsyncDisposableStack,
): void {
  const stopCompleting = keepCompletingReconciliations(
    database,
    usage,
    report('error', 'reconciliations could not be completed; the service tries again'),
  );
  parts.defer(endInTime({ close: stopCompleting }));
  if (config.environment === 'sandbox') {
    const closeEnds = openSimulatedReviews(
      database,
      report('error', 'simulated reviews could not be ended; the service tries again'),
    );
    parts.defer(endInTime({ close: closeEnds }));
  }
  const schedule = openSchedule({
    database,
    jobs: listJobs({ ...config, settlementTools: configuredSettlementTools(config) }),
    onRun: (run) => {
      metrics.countRun(run);
      logRun(log, run);
      if (run.error !== null) options.onTrouble?.(run.error);
    },
    onAlert: (run, sentence) => logAlert(log, run, sentence),
    onError: report('error', 'the schedule failed; the service tries again'),
  });
  parts.defer(endInTime(schedule));
}
