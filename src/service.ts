import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { ContributionRules } from './domain/contribution-rules.ts';
import { type Log, openLog } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { type OperationsListener, openOperationsListener } from './observability/operations-listener.ts';
import { type KeyUse, noteKeyUse } from './operations/note-key-use.ts';
import { createOperations, POOL_SIZE } from './operations/operations.ts';
import { type Answer, buildPartnerApi, type PartnerApi } from './partner-api/app.ts';
import { authenticator } from './partner-api/authenticate.ts';
import { failureLimit } from './partner-api/failure-limit.ts';
import { openReconciler } from './schedule/reconciler.ts';
import { connectStore, type Store } from './storage.ts';
import { listEndpointStates, measureBacklog } from './store/backlog.ts';
import type { Database } from './store/database.ts';
import { proveCommit } from './store/durability.ts';
import { openSecretBox, readSecretsKeys, type SecretBox } from './webhooks/secret-box.ts';
import { openSecretsKeyFile } from './webhooks/secrets-key-file.ts';
import { openWebhooks, WEBHOOKS_POOL_SIZE, type Webhooks } from './webhooks/webhooks.ts';

export interface Service {
  /** Where partners reach it, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly database: Database;
  readonly log: Log;
  /** Answers what was accepted, then closes; at most ten seconds. A second call waits for the first. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly onProgress?: (sentence: string) => void;
  readonly rulesOf?: (partnerId: string) => ContributionRules;
  /** Milliseconds since 1970, for what deliveries are signed with. */
  readonly clock?: () => number;
}

/** A process that takes requests, with or without others beside it. */
export interface ServiceProcess extends Service {
  readonly metrics: Metrics;
}

/** Together with the time that draining takes at most, less than an operator waits for a stop. */
const CLOSE_TIMEOUT_MS = 5_000;
const READINESS_TIMEOUT_MS = 2_000;

/**
 * Builds the parts in order and starts them: database, operations, interface, internal listener.
 *
 * @throws Error With a sentence for the operator: settings, database, durability or a busy port.
 */
export async function startService(config: Config, options: ServiceOptions = {}): Promise<Service> {
  const state = { isStopping: false };
  const service = await startServiceProcess(config, { ...options, migrates: true });
  const listener = await openInternalListener(config, {
    metrics: () => service.metrics.registry.metrics(),
    checkReadiness: async () => {
      if (state.isStopping) throw new Error('the service is stopping');
      await checkDatabase(service.database);
    },
  }).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  const stop = async () => {
    state.isStopping = true;
    await service.stop();
    await listener.close();
  };
  return { ...service, stop: once(stop) };
}

export interface ServiceProcessOptions extends ServiceOptions {
  readonly migrates: boolean;
  /** How many processes share the port, and with it the partners' rates. */
  readonly processes?: number;
}

/** One process's part: everything but the internal listener. */
export async function startServiceProcess(config: Config, options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { migrates, processes = 1, onProgress = () => {}, rulesOf, clock = Date.now } = options;
  const log = openLog(config.logLevel);
  const store = await connectStore(config, { migrates, poolSize: POOL_SIZE, logger: log.logger, onProgress });
  const { database } = store;
  const webhooksDatabase = store.openPool(WEBHOOKS_POOL_SIZE);
  const metrics = createMetrics(database.pool, {
    measureBacklog: () => measureBacklog(webhooksDatabase.pool),
    listEndpointStates: () => listEndpointStates(webhooksDatabase.pool),
  });
  const uses = noteKeyUse(database, (err) => log.logger.warn({ err }, 'the last use of keys could not be written'));
  const webhooks = openWebhooks({
    database: webhooksDatabase,
    environment: config.environment,
    secretBox: openConfiguredSecretBox(config),
    allowInsecure: config.allowsInsecureWebhooks,
    eventDays: config.eventDays,
    clock,
    onAttempt: metrics.countAttempt,
    onDisabled: ({ partnerId: partner_id, endpointId: endpoint_id, reason }) =>
      log.logger.warn(
        { partner_id, endpoint_id, reason },
        'a webhook endpoint was disabled: its events are held until it is enabled',
      ),
    onError: (err) => log.logger.error({ err }, 'events could not be delivered; it is tried again'),
  });
  const closeReconciler = openReconciler(database, (err) =>
    log.logger.error({ err }, 'reconciliations could not be completed; it is tried again'),
  );
  try {
    const api = await buildPartnerApi({
      environment: config.environment,
      operations: createOperations(database, { environment: config.environment, rulesOf }),
      authenticate: authenticator({ database, environment: config.environment, failures: failureLimit(), onUse: uses.note }),
      trustedProxies: config.trustedProxies,
      processes,
      onAnswer: (answer) => {
        metrics.countAnswer(answer);
        logAnswer(log, answer);
      },
      onUnexpectedError: (err, correlation_id) => log.logger.error({ err, correlation_id }, 'unexpected error'),
    });
    const baseUrl = await api.app.listen({ host: config.host, port: config.port }).catch(explainBusyPort('PORT', config.port));
    return {
      baseUrl,
      database,
      log,
      metrics,
      stop: once(() => stopInOrder({ api, webhooks, webhooksDatabase, closeReconciler, store, uses, log })),
    };
  } catch (error) {
    await closeReconciler();
    await webhooks.close();
    await webhooksDatabase.close();
    await uses.close();
    await store.close();
    throw error;
  }
}

export async function openInternalListener(
  { operationsHost: host, operationsPort: port }: Config,
  answers: { metrics(): Promise<string>; checkReadiness(): Promise<void> },
): Promise<OperationsListener> {
  return openOperationsListener({ host, port, ...answers }).catch(explainBusyPort('OPERATIONS_PORT', port));
}

/** The keys of the setting, or the one that the embedded default keeps in its data folder. */
export function openConfiguredSecretBox({ secretsKey, dataDirectory }: Config): SecretBox {
  return openSecretBox(secretsKey === undefined ? openSecretsKeyFile(dataDirectory) : readSecretsKeys(secretsKey));
}

/** @throws Error With the reason why no contribution could be committed now. */
export async function checkDatabase({ pool }: Database): Promise<void> {
  await Promise.race([proveCommit(pool), refuseAfter(READINESS_TIMEOUT_MS)]);
}

async function refuseAfter(timeoutMs: number): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false });
  throw new Error(`the database did not commit within ${timeoutMs} ms`);
}

function explainBusyPort(setting: string, port: number): (error: unknown) => never {
  return (cause) => {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Error(`The port ${port} is taken by another program. Choose another one, such as ${setting}=${port + 10}`, {
        cause,
      });
    }
    if (code === 'EACCES') {
      throw new Error(`The port ${port} may not be opened by this user. Choose one above 1023 with ${setting}.`, { cause });
    }
    throw cause;
  };
}

interface Parts {
  readonly api: PartnerApi;
  readonly webhooks: Webhooks;
  readonly webhooksDatabase: Database;
  readonly closeReconciler: () => Promise<void>;
  readonly store: Store;
  readonly uses: KeyUse;
  readonly log: Log;
}

async function stopInOrder({ api, webhooks, webhooksDatabase, closeReconciler, store, uses, log }: Parts): Promise<void> {
  await api.drain();
  await Promise.race([api.app.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  await Promise.race([webhooks.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  await closeReconciler();
  await webhooksDatabase.close();
  await uses.close();
  await store.close();
  log.flush();
}

/** Whoever calls again waits for the first call. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

function logAnswer({ logger }: Log, { correlationId, partnerId, operation, status, errorCode, durationMs }: Answer): void {
  logger.info({
    correlation_id: correlationId,
    partner_id: partnerId,
    operation,
    status,
    code: errorCode,
    ms: Math.round(durationMs * 10) / 10,
  });
}
