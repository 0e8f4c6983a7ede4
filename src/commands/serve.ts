import cluster from 'node:cluster';
import { once } from 'node:events';
import { type Config, readConfig } from '../config.ts';
import { issueApiKey } from '../operations/access/manage-api-key.ts';
import { createFirstCode } from '../operations/access/manage-operator.ts';
import { createPartner } from '../operations/access/manage-partner.ts';
import { mayHaveSampleData, prepareSampleData } from '../service/open-sample-data.ts';
import { restartCompiled } from '../service/processes/restart-compiled.ts';
import { beatForFirstProcess, metricsForFirstProcess, troublesForFirstProcess } from '../service/processes/tell-first-process.ts';
import type { ListeningMessage, StartMessage } from '../service/processes/worker-processes.ts';
import { SERVICE_ROLES, type ServiceRole } from '../service/role.ts';
import type { Service, ServiceOptions } from '../service/start-service.ts';
import { listPartners } from '../store/access/partner.ts';
import { findSampleData } from '../store/sandbox/sample-data.ts';
import { startSampleProcess } from './sandbox/sample-process.ts';
import { owner } from './terminal/actor.ts';
import { consoleLink, forwardingHint } from './terminal/console-link.ts';
import { describeMistypedNames } from './terminal/mistyped-settings.ts';
import { describeLowOpenFilesLimit } from './terminal/open-files-limit.ts';
import { readProcesses, readServiceRoles } from './terminal/options.ts';
import { printProgress, printText } from './terminal/output.ts';
import { ProgramCommand } from './terminal/program-command.ts';
import { stopSignal } from './terminal/stop-signal.ts';
import { dropUnwritableOutput } from './terminal/unwritable-output.ts';
import { withoutOperator } from './terminal/with-operator.ts';

export function serveCommand(): ProgramCommand {
  return new ProgramCommand('serve')
    .description('run the service until SIGTERM or SIGINT')
    .option('--first-call', 'in a sandbox: print a link to the console; without partners, create one and print a first call')
    .option('--demo', 'at the first start of a sandbox with the embedded PostgreSQL: make sample data beside the service')
    .option('--no-demo', 'make no sample data')
    .option('--processes <n>', 'processes that share the port', readProcesses, 1)
    .option('--roles <roles>', 'roles of the process, separated by commas', readServiceRoles, [...SERVICE_ROLES])
    .action(withoutOperator('it is the service', serve));
}

/** A stop that takes longer is aborted: the process manager does not wait longer. */
const STOP_TIMEOUT_MS = 10_000;

interface ServeOptions {
  readonly firstCall?: boolean;
  readonly demo?: boolean;
  readonly processes: number;
  readonly roles: readonly ServiceRole[];
}

async function serve(wanted: ServeOptions): Promise<void> {
  dropUnwritableOutput();
  const { processes, roles } = wanted;
  const config = readConfig(process.env);
  const stopped = stopSignal();
  if (cluster.isWorker) return serveAsWorker(config, { processes, roles }, stopped);
  let isStarted = false;
  void stopped.then(() => isStarted || endDuringStart());
  await restartCompiled();
  for (const sentence of [...describeMistypedNames(process.env), ...describeLowOpenFilesLimit()]) printProgress(sentence);
  const options = { onProgress: printProgress, roles };
  const service = await start(config, processes, options);
  isStarted = true;
  const endSample = await begin(service, config, wanted).catch(async (error: unknown) => {
    printProgress(`Stopping, because the start did not come to its end: ${(error as Error).message}`);
    await stopInTime(service);
    throw error;
  });
  await stopped;
  printProgress('Stopping: accepted requests are answered first …');
  await stopInTime(service, endSample);
}

/**
 * Tells where the service listens, and makes what a first start makes beside it.
 *
 * @returns What ends the making of sample data.
 */
async function begin(
  service: Service,
  config: Config,
  { firstCall = false, demo, roles }: ServeOptions,
): Promise<(() => Promise<void>) | undefined> {
  const { baseUrl } = service;
  if (roles.includes('api'))
    printText(`\nPartner Impact (${config.environment}) listens on ${baseUrl}\n${whereReferenceIs(config, baseUrl)}`);
  else printText(`\nPartner Impact (${config.environment}) does ${roles.join(' and ')}, and accepts no requests\n`);
  if (roles.includes('webhooks')) printText(whereEventsGo(config));
  const isSampleWanted = demo !== undefined && mayHaveSampleData(config) && (await prepareSampleData(service.database, demo));
  if (firstCall && roles.includes('api')) {
    await showConsole(service, config);
    await printFirstCall(service, config);
  }
  return isSampleWanted ? startSampleProcess() : undefined;
}

/** A start may wait long for a migration or a slow database, and whatever it does may end at any time. Its processes end with it. */
function endDuringStart(): never {
  printProgress('Stopped before the service was ready. The next start does the rest.');
  process.exit(0);
}

/** Loads the service, which a help does not need. */
async function start(config: Config, processes: number, options: ServiceOptions): Promise<Service> {
  if (processes === 1) return (await import('../service/start-service.ts')).startService(config, options);
  return (await import('../service/processes/worker-processes.ts')).startServiceProcesses(config, processes, options);
}

function whereReferenceIs({ servesReference }: Config, baseUrl: string): string {
  return servesReference ? `Documentation   ${baseUrl}/docs\n` : '';
}

/** Exceptions from the rule that only public https addresses are allowed. */
function whereEventsGo({ allowsInsecureWebhooks, allowsWebhooksToThisMachine }: Config): string {
  if (allowsInsecureWebhooks) return 'Events          may go to http and to private addresses: WEBHOOK_ALLOW_INSECURE\n';
  if (allowsWebhooksToThisMachine) return 'Events          may go to 127.0.0.1 and ::1 of this machine too, by http or https\n';
  return '';
}

/**
 * One of several processes, started by the first process. When that one ends without a stop, Node ends this one at once: no client
 * reaches it any more.
 */
async function serveAsWorker(
  config: Config,
  options: Pick<ServeOptions, 'processes' | 'roles'>,
  stopped: Promise<void>,
): Promise<void> {
  // It told something to a first process that was just killed. Unheard, that would look like a defect of this one: a stack trace.
  cluster.worker?.on('error', () => process.exit());
  const wanted = Promise.race([
    once(process, 'message').then(([message]): StartMessage => message),
    stopped.then(() => undefined),
  ]);
  const { startServiceProcess } = await import('../service/start-service.ts');
  const start = await wanted;
  if (!start) return;
  beatForFirstProcess();
  let isStarted = false;
  // Nobody waits for its start any more, and nobody was answered: it may wait for a database that does not come.
  void stopped.then(() => isStarted || process.exit(0));
  const service = await startServiceProcess(config, {
    ...options,
    ...start,
    isFirst: false,
    onTrouble: troublesForFirstProcess(),
  });
  isStarted = true;
  metricsForFirstProcess(() => service.metrics.registry.getMetricsAsJSON());
  process.send?.({ listening: service.baseUrl } satisfies ListeningMessage);
  await stopped;
  await stopInTime(service);
}

/**
 * @param endFirst What uses the service or its database.
 */
async function stopInTime({ stop, log }: Pick<Service, 'stop' | 'log'>, endFirst?: () => Promise<void>): Promise<void> {
  setTimeout(() => {
    const late = Object.values(cluster.workers ?? {}).flatMap((worker) => (worker ? [worker.process] : []));
    printProgress(describeLateStop(late.map(({ pid }) => pid)));
    for (const each of late) each.kill('SIGKILL');
    end(log, 1);
  }, STOP_TIMEOUT_MS).unref();
  await endFirst?.();
  await stop();
  if (log.isWriting()) end(log, 0);
}

/** @param pids Of the processes that have not ended. */
function describeLateStop(pids: readonly (number | undefined)[]): string {
  const seconds = STOP_TIMEOUT_MS / 1_000;
  const late = pids.length === 0 ? '' : ` Not ended, and killed: ${pids.map((pid) => `process ${pid}`).join(', ')}.`;
  return `The stop took longer than ${seconds} s and is cut short.${late} What was confirmed is stored.`;
}

/** A write to standard output that nobody reads would keep the process from its end. */
function end(log: Service['log'], code: number): void {
  if (log.isWriting()) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}

/** In a sandbox: the first operator, who may do everything that one person may. In production an admin makes operators. */
const FIRST_OPERATOR = { name: 'Sandbox admin', email: 'admin@sandbox.example', role: 'admin' } as const;

/** A link until somebody has used one, and then the address. */
async function showConsole({ database, operationsPort: port }: Service, config: Config): Promise<void> {
  if (config.environment !== 'sandbox') return;
  const operatorsOfSample = (await findSampleData(database.pool))?.operatorIds ?? [];
  const code = await createFirstCode(database, owner(), FIRST_OPERATOR, operatorsOfSample);
  const address = consoleLink(config, { port, code: code ?? '' }).replace(/#$/, '');
  const hints = [
    code && '(works once, for a day; `npx partner-impact operator list` shows the operator)',
    forwardingHint(config, port),
  ].filter((hint) => hint !== undefined);
  printText([`Console         ${address}\n`, ...hints.map((hint) => `                ${hint}\n`)].join(''));
}

async function printFirstCall(service: Service, { environment }: Config): Promise<void> {
  const { database } = service;
  const ofSample = (await findSampleData(database.pool))?.partnerIds ?? [];
  const partners = await listPartners(database.pool, { afterId: '', limit: ofSample.length + 1 });
  const own = partners.find(({ partnerId }) => !ofSample.includes(partnerId));
  if (own) {
    printText(`Another key     ${issueKey(own.partnerId, environment)}\n                (of ${own.name})\n\n`);
    return;
  }
  if (environment !== 'sandbox') return;
  const { partnerId } = await createPartner(database, owner(), 'Demo partner');
  const policy = { name: 'demo', permission: 'manage', allowedAddresses: [], expiresAt: null } as const;
  const { apiKey } = await issueApiKey(database, owner(), { environment, partnerId, ...policy });
  printText(`Demo partner    ${partnerId}
Demo key        ${apiKey}
                (shown this once; \`${issueKey(partnerId, environment)}\` makes another)

Confirm a contribution:

curl -i ${service.baseUrl}/v1/impact-transactions -H 'X-API-Key: ${apiKey}' -H 'Idempotency-Key: first-call-0001' -H 'Content-Type: application/json' -d '{"partner_event_id":"first-event-0001","partner_order_ref":"order-1","points":250}'

`);
}

/** In a sandbox with every permission, so that a partner's engineer can try all of the interface. */
function issueKey(partnerId: string, environment: Config['environment']): string {
  const permission = environment === 'sandbox' ? ' --permission manage' : '';
  return `npx partner-impact key issue --partner ${partnerId}${permission}`;
}
