import type { Config } from '../config.ts';
import { LIMITS } from '../domain/limit-names.ts';
import type { ContributionRules } from '../domain/rules/contribution-rules.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { throttled } from '../observability/throttled.ts';
import { createKeyUse } from '../operations/access/record-key-use.ts';
import { shareConnections } from '../operations/connections-per-partner.ts';
import { createOperations } from '../operations/create-operations.ts';
import type { RecentContributions } from '../operations/events/recent-contributions.ts';
import type { StorageUsage } from '../operations/quotas/storage-usage.ts';
import { authenticator } from '../partner-api/access/authenticate.ts';
import { CREDENTIALS_POOL_SIZE } from '../partner-api/access/credential-memory.ts';
import { buildPartnerApi } from '../partner-api/app.ts';
import { listen } from '../partner-api/http/listen.ts';
import { failureLimit } from '../partner-api/limits/failure-limit.ts';
import type { Database } from '../store/database.ts';
import { LOOK_POOL_SIZE, LOOK_SETTINGS, type NodeWatch, openNodeWatch } from '../store/node-watch.ts';
import type { Pace } from '../webhooks/delivery/pace.ts';
import { endInTime, openUploads } from './end-in-time.ts';
import { openAnswerLog } from './log-lines.ts';
import type { Store } from './open-database.ts';
import { openRules } from './open-rules.ts';
import { openEndpointTools, openReadiness, openSandbox } from './open-sandbox.ts';
import { explainBusyPort } from './ports.ts';
import type { ReportErrors } from './report-errors.ts';

/** What partners change themselves, endpoints and a sandbox, waits in turn for the end of the audit, and confirmations do not. */
const CHANGES_POOL_SIZE = 4;

/** What the interface gets from its process. */
export interface PartnerApiTools {
  readonly config: Config;
  readonly store: Pick<Store, 'database' | 'openApart'>;
  /** Closed with the process. */
  openPool(size: number): Database;
  readonly log: Log;
  readonly report: ReportErrors;
  readonly metrics: Metrics;
  /** From the confirmations of this process to its relay. */
  readonly recent: RecentContributions | undefined;
  /** Gets the answers of this process, to which deliveries yield. */
  readonly pace: Pace;
  /** Counts what partners store by this process. */
  readonly usage: StorageUsage;
}

export interface PartnerApiSettings {
  /** Replaces the rules in the database. */
  readonly rulesOf?: (partnerId: string) => ContributionRules;
  /** Milliseconds since 1970, for the signatures of deliveries. */
  readonly clock?: () => number;
  /** How many processes share the port, and with it the partners' rates. */
  readonly processes?: number;
  /** Called when work or a request of a partner failed, or a node of the database does not answer. */
  readonly onTrouble?: (error: unknown) => void;
}

/**
 * Starts the interface of partners.
 *
 * @param parts What the interface opens is closed with them.
 * @returns Its address, such as `http://127.0.0.1:8080`.
 */
export async function startPartnerApi(
  { config, store, openPool, log, report, metrics, recent, pace, usage }: PartnerApiTools,
  { processes = 1, rulesOf, clock = Date.now, onTrouble = () => {} }: PartnerApiSettings,
  parts: AsyncDisposableStack,
): Promise<string> {
  const { database } = store;
  const ofKeys = openPool(CREDENTIALS_POOL_SIZE);
  const ofChanges = openPool(CHANGES_POOL_SIZE);
  const databaseOf = shareConnections(ofChanges);
  const nodes = database.isDistributed ? watchNodes(store, parts, onTrouble) : undefined;
  const uses = createKeyUse(database, report('warn', 'the last use of keys could not be recorded'));
  parts.defer(() => uses.close());
  const reportUnverified = throttled((err, times) =>
    log.logger.error({ err, times }, 'a record differs from the audit: it authorises nothing'),
  );
  const onUnverified = (error: Error) => {
    metrics.countUnverified();
    reportUnverified(error);
  };
  const rules = openRules(database, rulesOf, report, metrics.countUnverified);
  parts.defer(() => rules.close());
  const { uploads, end } = openUploads(log, 'partners');
  const logAnswer = openAnswerLog(log);
  const reportUnexpected = report('error', 'unexpected error');
  const api = await buildPartnerApi({
    environment: config.environment,
    ...(config.environment === 'sandbox' && {
      sandbox: openSandbox(databaseOf, config),
      readiness: openReadiness(database, log, { nodes, parts }),
    }),
    databaseOf,
    endpointTools: openEndpointTools(ofChanges, config, clock, parts),
    usage,
    operations: createOperations(database, {
      environment: config.environment,
      rulesOf: rules.rulesOf,
      usage,
      recent,
      refusalOf: nodes?.refusalOf,
    }),
    nodes,
    authenticate: authenticator({
      database: ofKeys,
      environment: config.environment,
      failures: failureLimit(),
      onUse: uses.record,
      onUnverified,
    }),
    uploads,
    servesReference: config.servesReference,
    trustedProxies: config.trustedProxies,
    processes,
    onAnswer: (answer) => {
      metrics.countAnswer(answer);
      pace.addAnswer(answer.durationMs);
      if (answer.failure !== undefined) onTrouble(answer.failure);
      logAnswer(answer);
    },
    onLimit: metrics.countLimit,
    onSandboxRequest: metrics.countSandboxRequest,
    onUnexpectedError: (error, correlation_id) => reportUnexpected(error, { correlation_id }),
  });
  metrics.showLimits(LIMITS);
  const { host, port } = config;
  const listening = await listen(api.app, { host, port }).catch(explainBusyPort('PORT=', port));
  metrics.watchConnections(listening.countConnections);
  metrics.watchInFlight(api.countInFlight);
  parts.defer(async () => {
    await api.drain();
    end();
    await endInTime(listening)();
  });
  return listening.baseUrl;
}

function watchNodes(
  store: PartnerApiTools['store'],
  parts: AsyncDisposableStack,
  onFailure: (failure: unknown) => void,
): NodeWatch {
  const apart = store.openApart(LOOK_POOL_SIZE, LOOK_SETTINGS);
  parts.defer(() => apart.close());
  const nodes = openNodeWatch(apart, onFailure);
  parts.defer(() => nodes.close());
  return nodes;
}
