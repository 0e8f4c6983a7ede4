import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { openOwnMetrics } from '../../observability/first-process-metrics.ts';
import type { Log, Logger } from '../../observability/log.ts';
import { measureOperators } from '../../observability/operator-metrics.ts';
import { collectFromProcesses } from '../../observability/process-metrics.ts';
import { throttled } from '../../observability/throttled.ts';
import type { Database } from '../../store/database.ts';
import type { DatabaseProblem } from '../../store/database-problem.ts';
import { WORKERS_POOL_SIZE, WorkerWatch } from '../../store/worker-watch.ts';
import { openConfiguredAdminListener } from '../configured-admin-listener.ts';
import { DatabaseWatch } from '../database-watch.ts';
import { closeHandedConnections } from '../handed-connections.ts';
import { once } from '../once.ts';
import { connectStore, type Store } from '../open-database.ts';
import { type Operators, openOperators } from '../open-operators.ts';
import { openServiceLog } from '../open-service-log.ts';
import { requireFreePorts } from '../ports.ts';
import { SERVICE_ROLES } from '../role.ts';
import type { Service, ServiceOptions } from '../start-service.ts';
import { BEAT_EVERY_MS, type BeatMessage, type TroubleMessage } from './tell-first-process.ts';

/** The message of a process to the first one when it takes requests. */
export interface ListeningMessage {
  readonly listening: string;
}

/** The message of the first process to another one: the database is prepared, so it may begin. */
export interface StartMessage {
  /** Where the first process finds the tables. */
  readonly schema?: string | undefined;
}

/** A process that dies is replaced at once; one that keeps dying, at most this often. */
const RESTART_PAUSE_MS = 1_000;

/** A process that has not said for so many times that it works does not respond: it takes connections, and answers on none. */
const MISSED_BEATS_MAX = 15;
/** The same of one that has not said so yet: while it loads the program, which takes a second, and longer on a busy machine. */
const FIRST_BEAT_MISSED_MAX = 45;

/**
 * Serves one port with several processes. The first one takes no requests: it prepares the database, starts the others, replaces one that
 * dies or does not respond, answers for all on the admin listener, and stops all.
 *
 * @throws Error When a process cannot start; it has printed the reason on standard error.
 */
export async function startServiceProcesses(
  config: Config,
  count: number,
  { onProgress = () => {}, roles = SERVICE_ROLES }: ServiceOptions = {},
): Promise<Service> {
  await requireFreePorts(config, roles);
  const listener = await openConfiguredAdminListener(config);
  const log = openServiceLog(config.logLevel);
  const giveUp = async (error: unknown): Promise<never> => {
    await stopProcesses();
    await listener.close();
    throw error;
  };
  const processes = await openProcesses(count, log).catch(giveUp);
  const opening = connectStore(config, { migrates: true, embeddedServer: 'keep', logger: log.logger, onProgress });
  const store = await opening.catch(giveUp);
  let operators: Operators | undefined;
  const pools: Database[] = [];
  const openPool = (size: number) => {
    const opened = store.openPool(size);
    pools.push(opened);
    return opened;
  };
  const workers = store.database.isDistributed ? new WorkerWatch(openPool(WORKERS_POOL_SIZE)) : undefined;
  const watch = new DatabaseWatch({ ...store, workers, logger: log.logger });
  hearTroubles(watch.noteProblem);
  const stop = once(async () => {
    await processes.stop(async () => operators?.close());
    await operators?.jobsEnded();
    await listener.close();
    watch.close();
    for (const each of pools) await each.close();
    await store.close();
    await log.flush();
  });
  try {
    const own = openOwnMetrics({
      databaseReasons: () => watch.reasons,
      countMissing: processes.countMissing,
      countDied: processes.countDied,
      countDropped: log.countDropped,
    });
    let baseUrl = '';
    if (roles.includes('api'))
      operators = await openOperators(config, { log, openPool, baseUrl: () => baseUrl, counts: measureOperators(own) });
    listener.answerBy({
      further: operators?.handle,
      metrics: collectFromProcesses(own, processes.taking),
      checkReadiness: async () => {
        const restrictions = [processes.checkProcesses(), await watch.check()].filter((each) => each !== undefined);
        return restrictions.length === 0 ? undefined : restrictions.join('; ');
      },
    });
    baseUrl = await processes.start(store.findSchema);
    return { baseUrl, operationsPort: listener.port, database: store.database, log, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Processes {
  /** Those that take requests now. */
  readonly taking: ReadonlySet<Worker>;
  /**
   * Starts all; returns the address that they share.
   *
   * @param findSchema Says where a process that starts has to find the tables.
   */
  start(findSchema: Store['findSchema']): Promise<string>;
  /**
   * @returns A sentence about those that are missing, while others take requests.
   * @throws Error While none takes requests, during the start while one is missing, and during the stop.
   */
  checkProcesses(): string | undefined;
  /** How many take no requests now and are to. */
  countMissing(): number;
  /** How many that took requests have died. */
  countDied(): number;
  /**
   * From its beginning on none that ends is replaced.
   *
   * @param closeFirst Closes what ends before them.
   */
  stop(closeFirst?: () => Promise<void>): Promise<void>;
}

/**
 * The processes that take requests. They load the program while the first one prepares the database.
 *
 * @throws Error Of the system, when it begins none.
 */
async function openProcesses(count: number, { logger }: Log): Promise<Processes> {
  const taking = new Set<Worker>();
  const loading = Array.from({ length: count }, forkProcess);
  let [isStarted, isStopping] = [false, false];
  let died = 0;
  const keepOne = async (findSchema: Store['findSchema']): Promise<string> => {
    const loaded = loading.pop();
    const { worker, listening } = loaded?.worker.isConnected() ? loaded : forkProcess();
    endStandstill(worker, logger);
    if (worker.isConnected()) worker.send({ schema: findSchema() } satisfies StartMessage);
    const baseUrl = await listening;
    taking.add(worker);
    worker.once('exit', (code, signal) => {
      taking.delete(worker);
      if (isStopping) return;
      died += 1;
      logger.error({ pid: worker.process.pid, code, signal }, 'a process died and is replaced');
      void replace(findSchema);
    });
    return baseUrl;
  };
  const report = reportFailedStarts(logger);
  const onFailedStart = (error: unknown) => void (isStopping || report(error, count - taking.size));
  /** The first replacement starts at once; while none can start, one is tried every second. */
  const replace = async (findSchema: Store['findSchema']): Promise<void> => {
    while (!isStopping && (await keepOne(findSchema).catch(onFailedStart)) === undefined) await sleep(RESTART_PAUSE_MS);
  };
  return {
    taking,
    async start(findSchema) {
      const [baseUrl = ''] = await Promise.all(Array.from({ length: count }, () => keepOne(findSchema)));
      isStarted = true;
      return baseUrl;
    },
    checkProcesses: () => restrictionOf({ takingCount: taking.size, count, isStarted, isStopping }),
    countMissing: () => count - taking.size,
    countDied: () => died,
    async stop(closeFirst) {
      isStopping = true;
      await closeFirst?.();
      await stopProcesses();
    },
  };
}

interface ProcessesState {
  /** How many take requests now. */
  readonly takingCount: number;
  /** How many are to. */
  readonly count: number;
  readonly isStarted: boolean;
  readonly isStopping: boolean;
}

/** As {@link Processes.checkProcesses}. */
function restrictionOf({ takingCount, count, isStarted, isStopping }: ProcessesState): string | undefined {
  if (isStopping) throw new Error('the service is stopping');
  if (takingCount === count) return undefined;
  const sentence = `${takingCount} of ${count} processes take requests`;
  if (takingCount === 0 || !isStarted) throw new Error(sentence);
  return `${sentence}; the log says why another one does not start, and one is tried every second`;
}

function reportFailedStarts(logger: Logger) {
  return throttled((err, times, missing: number) =>
    logger.error({ err, times, missing }, 'a process could not start in place of another; the next one is tried'),
  );
}

/**
 * Also while it starts, for which the first process waits without a limit. Counted by a timer of this process: where the whole machine stood
 * still, a process has missed one beat.
 */
function endStandstill(worker: Worker, logger: Logger): void {
  // The system refused to start it: such a process never exits.
  if (worker.process.pid === undefined) return;
  let [missed, most] = [0, FIRST_BEAT_MISSED_MAX];
  const countMissed = () => {
    missed += 1;
    if (missed < most) return;
    clearInterval(timer);
    logger.error(
      { pid: worker.process.pid, seconds: (missed * BEAT_EVERY_MS) / 1_000 },
      'a process does not respond; the service kills and replaces it',
    );
    worker.process.kill('SIGKILL');
  };
  const timer = setInterval(countMissed, BEAT_EVERY_MS).unref();
  worker.on('message', ({ beat }: Partial<BeatMessage>) => {
    if (beat) [missed, most] = [0, MISSED_BEATS_MAX];
  });
  worker.once('exit', () => clearInterval(timer));
}

/** From now on the listener gets what failed in the processes. */
function hearTroubles(listener: (problem: DatabaseProblem | undefined) => void): void {
  cluster.on('message', (_worker, { trouble }: Partial<TroubleMessage>) => {
    if (trouble !== undefined) listener(trouble ?? undefined);
  });
}

interface ForkedProcess {
  readonly worker: Worker;
  /** The address of the service, once the process takes requests. */
  readonly listening: Promise<string>;
}

/** Begins a process, which loads the program and waits for a {@link StartMessage}. */
function forkProcess(): ForkedProcess {
  const worker = cluster.fork();
  closeHandedConnections(worker);
  const listening = new Promise<string>((resolve, reject) => {
    worker.on('message', (message: Partial<ListeningMessage>) => {
      if (message.listening !== undefined) resolve(message.listening);
    });
    worker.once('exit', (_code, signal) => {
      if (signal) reject(new Error(`A process of the service was ended by ${signal} while it started.`));
      else reject(new Error('A process of the service could not start; the reason is above.'));
    });
    // Unheard, an error would end this process. Where the system begins none, such as for want of files, nothing else says so; a message
    // that it does not take was for a process that has ended, which `exit` tells.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) reject(error);
    });
  });
  // It may fail before anybody waits for it.
  listening.catch(() => {});
  return { worker, listening };
}

async function stopProcesses(): Promise<void> {
  await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopProcess(worker)));
}

async function stopProcess(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  await new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
    worker.process.kill('SIGTERM');
  });
}
