import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import type { ContributionRules } from './domain/contribution-rules.ts';
import { type Log, openLog } from './observability/log.ts';
import { createMetrics } from './observability/metrics.ts';
import { openOperationsListener } from './observability/operations-listener.ts';
import { type KeyUse, noteKeyUse } from './operations/note-key-use.ts';
import { createOperations, POOL_SIZE } from './operations/operations.ts';
import { type Answer, buildPartnerApi, type PartnerApi } from './partner-api/app.ts';
import { authenticator } from './partner-api/authenticate.ts';
import { failureLimit } from './partner-api/failure-limit.ts';
import { connectStore, type Store } from './storage.ts';
import type { Database } from './store/database.ts';
import { proveCommit } from './store/durability.ts';

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
}

/** For so long every answer asks its client to close the connection, so that none is cut with a request under way. */
const DRAIN_MS = 400;
const CLOSE_TIMEOUT_MS = 8_000;
const READINESS_TIMEOUT_MS = 2_000;

/**
 * Builds the parts in order and starts them: database, operations, interface, listeners.
 *
 * @throws Error With a sentence for the operator: settings, database, durability or a busy port.
 */
export async function startService(config: Config, { onProgress = () => {}, rulesOf }: ServiceOptions = {}): Promise<Service> {
  const log = openLog(config.logLevel);
  const store = await connectStore(config, { migrates: true, poolSize: POOL_SIZE, logger: log.logger, onProgress });
  try {
    return await startOn(store, config, log, rulesOf);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function startOn(store: Store, config: Config, log: Log, rulesOf?: ServiceOptions['rulesOf']): Promise<Service> {
  const { database } = store;
  const metrics = createMetrics(database.pool);
  const uses = noteKeyUse(database, (err) => log.logger.warn({ err }, 'the last use of keys could not be written'));
  const state = { isStopping: false };
  const api = await buildPartnerApi({
    environment: config.environment,
    operations: createOperations(database, { rulesOf }),
    authenticate: authenticator({ database, environment: config.environment, failures: failureLimit(), onUse: uses.note }),
    trustedProxies: config.trustedProxies,
    onAnswer: (answer) => {
      metrics.countAnswer(answer);
      logAnswer(log, answer);
    },
    onUnexpectedError: (error, correlationId) =>
      log.logger.error({ err: error, correlation_id: correlationId }, 'unexpected error'),
  });
  const operations = await openOperationsListener({
    host: config.operationsHost,
    port: config.operationsPort,
    registry: metrics.registry,
    checkReadiness: async () => {
      if (state.isStopping) throw new Error('the service is stopping');
      await Promise.race([proveCommit(database.pool), refuseAfter(READINESS_TIMEOUT_MS)]);
    },
  }).catch((error: unknown) => refuseBusyPort(error, 'OPERATIONS_PORT', config.operationsPort));
  const baseUrl = await api.app.listen({ host: config.host, port: config.port }).catch((error: unknown) => {
    operations.close();
    return refuseBusyPort(error, 'PORT', config.port);
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    state.isStopping = true;
    stopped ??= stopInOrder({ api, operations, store, uses, log });
    return stopped;
  };
  return { baseUrl, database, log, stop };
}

async function refuseAfter(timeoutMs: number): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false });
  throw new Error(`the database did not commit within ${timeoutMs} ms`);
}

function refuseBusyPort(error: unknown, setting: string, port: number): never {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') {
    throw new Error(`The port ${port} is taken by another program. Choose another one: ${setting}=${port + 10} npm start`, {
      cause: error,
    });
  }
  if (code === 'EACCES')
    throw new Error(`The port ${port} may not be opened by this user. Choose one above 1023 with ${setting}.`, { cause: error });
  throw error;
}

interface Parts {
  readonly api: PartnerApi;
  readonly operations: Server;
  readonly store: Store;
  readonly uses: KeyUse;
  readonly log: Log;
}

async function stopInOrder({ api, operations, store, uses, log }: Parts): Promise<void> {
  api.drain();
  await sleep(DRAIN_MS);
  await Promise.race([api.app.close(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  operations.close();
  operations.closeAllConnections();
  await uses.close();
  await store.close();
  log.flush();
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
