import { setTimeout as sleep } from 'node:timers/promises';
import { EVENT_TYPES } from '../../domain/events/event.ts';
import { SAMPLE_FAULTS } from '../../domain/sandbox/sample-fault.ts';
import { readHours, readPastTime, UsageError } from '../terminal/options.ts';
import { printJson, printNotice, printTable, printText } from '../terminal/output.ts';
import { ProgramCommand } from '../terminal/program-command.ts';
import { withoutOperator } from '../terminal/with-operator.ts';
import { type PartnerClient, partnerClient } from './partner-client.ts';

interface RehearseOptions {
  readonly url: string;
  readonly wait: number;
  readonly since?: Date;
  readonly json?: boolean;
}

/** The answer of `POST /v1/sandbox/events`, the members that are printed. */
interface SampleAnswer {
  readonly deliveries: readonly {
    readonly delivery_id: string;
    readonly status: number | null;
    readonly error_class: string | null;
    readonly expected: string;
    readonly as_expected: boolean;
  }[];
}

/** The answer of `GET /v1/sandbox/readiness`. */
interface ReadinessAnswer {
  readonly readiness: {
    readonly ready: boolean;
    readonly checks: readonly {
      readonly check: string;
      readonly passed: boolean;
      readonly evidence: readonly { readonly correlation_id: string | null; readonly subject_id: string | null }[];
      readonly what_to_do: string;
    }[];
  };
}

interface Endpoint {
  readonly endpoint_id: string;
  readonly url: string;
  readonly status: string;
}

/** One sample, and the receiver's answer. */
interface Played {
  readonly event_type: string;
  readonly fault: string | null;
  readonly answers: readonly (number | string)[];
  readonly expected: string;
  readonly as_expected: boolean;
}

const LOOK_EVERY_MS = 2_000;

export function rehearseCommand(): ProgramCommand {
  return new ProgramCommand('rehearse')
    .description(
      'send every kind of event, and every fault, to your own receiver, and show which checks are left before production',
    )
    .requiredOption('--url <url>', 'address of your receiver; it becomes an endpoint if it is not one yet')
    .option('--wait <hours>', 'wait at most this long for your program to pass the other checks', readHours, 0)
    .option('--since <time>', 'count only what began at this time or later, such as the start of your program', readPastTime)
    .option('--json', 'one JSON object, for programs')
    .addHelpText('after', '\nBASE_URL is the address of the sandbox, API_KEY a key of yours with the permission manage.')
    .action(withoutOperator('it asks the service with the key of a partner', rehearse));
}

async function rehearse({ url, wait, since, json }: RehearseOptions): Promise<void> {
  const client = openClient(process.env);
  await requireSandbox(client);
  const endpoint = await findEndpoint(client, url);
  if (!endpoint) return addEndpoint(client, url, json);
  const played = await playAll(client, endpoint.endpoint_id);
  if (!json) printPlayed(played);
  const readiness = await untilReady(client, { waitMs: wait * 3_600_000, since });
  const isRight = played.every(({ as_expected }) => as_expected);
  if (json) printJson({ endpoint_id: endpoint.endpoint_id, samples: played, readiness });
  else {
    printChecks(readiness);
    printWrong(played.filter(({ as_expected }) => !as_expected));
  }
  if (!isRight || !readiness.ready) process.exitCode = 1;
}

function openClient(env: NodeJS.ProcessEnv): PartnerClient {
  const { BASE_URL: baseUrl = '', API_KEY: apiKey = '' } = env;
  if (!URL.canParse(baseUrl)) throw new UsageError('Set BASE_URL to the address of the sandbox, such as http://127.0.0.1:8080.');
  if (!/^pi_[a-z]+_\w+$/.test(apiKey)) throw new UsageError('Set API_KEY to your key of the sandbox, pi_sandbox_…');
  return partnerClient(baseUrl.replace(/\/+$/, ''), apiKey);
}

async function requireSandbox(client: PartnerClient): Promise<void> {
  const { partner } = await client.get<{ partner: { name: string; environment: string } }>('/v1/partner', 'partner');
  if (partner.environment !== 'sandbox') throw new UsageError('BASE_URL is not a sandbox: nothing is rehearsed in production.');
}

async function findEndpoint(client: PartnerClient, url: string): Promise<Endpoint | undefined> {
  const { webhook_endpoints: all } = await client.get<{ webhook_endpoints: Endpoint[] }>(
    '/v1/webhook-endpoints',
    'webhook_endpoints',
  );
  const wanted = URL.canParse(url) ? new URL(url).href : url;
  const found = all.find((endpoint) => new URL(endpoint.url).href === wanted);
  if (found && found.status !== 'active')
    throw new UsageError(
      `The endpoint ${found.endpoint_id} is ${found.status}. Enable it: PATCH /v1/webhook-endpoints/${found.endpoint_id} {"status":"active"}.`,
    );
  return found;
}

/** A receiver can verify nothing before it has the secret, which was created a moment ago. */
async function addEndpoint(client: PartnerClient, url: string, json?: boolean): Promise<void> {
  const answer = await client.post<{ webhook_endpoint: Endpoint; secret: string }>(
    '/v1/webhook-endpoints',
    { url },
    'webhook_endpoint',
  );
  const { endpoint_id } = answer.webhook_endpoint;
  process.exitCode = 1;
  if (json) return printJson({ endpoint_id, secret: answer.secret, samples: [], readiness: null });
  printText(`Added the endpoint ${endpoint_id}. Its secret, which is shown once:\n\n    ${answer.secret}\n\n`);
  printText('Give the secret to your receiver, then repeat the command.\n');
}

async function playAll(client: PartnerClient, endpointId: string): Promise<Played[]> {
  const wanted = [
    ...EVENT_TYPES.map((event_type) => ({ event_type, fault: null })),
    ...SAMPLE_FAULTS.map((fault) => ({ event_type: 'impact.transaction.confirmed', fault })),
  ];
  const played: Played[] = [];
  for (const { event_type, fault } of wanted) {
    const sample = { event_type, endpoint_id: endpointId, ...(fault && { fault }) };
    const { deliveries } = await client.post<SampleAnswer>('/v1/sandbox/events', sample, 'deliveries');
    played.push({
      event_type,
      fault,
      answers: deliveries.map(({ status, error_class }) => status ?? error_class ?? 'no answer'),
      expected: deliveries[0]?.expected ?? '-',
      as_expected: deliveries.every(({ as_expected }) => as_expected),
    });
  }
  return played;
}

/** Evidence that is recorded beside an answer is stored a moment later. */
async function untilReady(
  client: PartnerClient,
  { waitMs, since }: { readonly waitMs: number; readonly since: Date | undefined },
): Promise<ReadinessAnswer['readiness']> {
  const path = `/v1/sandbox/readiness${since ? `?since=${since.toISOString()}` : ''}`;
  const endsAt = performance.now() + waitMs;
  for (let passed = new Set<string>(), isFirst = true; ; isFirst = false) {
    const { readiness } = await client.get<ReadinessAnswer>(path, 'readiness');
    const now = new Set(readiness.checks.filter((each) => each.passed).map(({ check }) => check));
    if (!isFirst) for (const check of now.difference(passed)) printNotice(`passed: ${check}`);
    passed = now;
    if (readiness.ready || performance.now() >= endsAt) return readiness;
    if (isFirst) printNotice(`${left(readiness.checks.length - now.size)} left. Waiting for your program; Ctrl-C ends it.`);
    await sleep(LOOK_EVERY_MS);
  }
}

function left(count: number): string {
  return count === 1 ? '1 check is' : `${count} checks are`;
}

function printPlayed(played: readonly Played[]): void {
  const rows = played.map(({ event_type, fault, answers, expected, as_expected }) => ({
    event: event_type,
    fault: fault ?? '-',
    'must be': expected,
    answer: answers.join(', '),
    right: as_expected ? 'yes' : 'NO',
  }));
  printTable(rows, '');
}

function printChecks({ ready, checks }: ReadinessAnswer['readiness']): void {
  const rows = checks.map(({ check, passed, evidence }) => ({
    check,
    passed: passed ? 'yes' : 'no',
    evidence: evidence.map(({ correlation_id, subject_id }) => correlation_id ?? subject_id ?? '').join(' ') || '-',
  }));
  printText('\n');
  printTable(rows, '');
  printText(ready ? '\nEvery check is passed.\n' : '\nWhat is left to do:\n');
  for (const { check, passed, what_to_do } of checks) if (!passed) printText(`  ${check}: ${what_to_do}\n`);
}

/** Evidence of an earlier run may have passed every check. */
function printWrong(wrong: readonly Played[]): void {
  if (wrong.length === 0) return;
  printText(`\n${wrong.length === 1 ? '1 answer' : `${wrong.length} answers`} of your receiver in this run: not right.\n`);
  if (wrong.some(({ fault, answers }) => fault === null && answers.some((answer) => isRefusal(answer))))
    printText('  It refused events that are signed right: check that it has the secret of this endpoint.\n');
}

function isRefusal(answer: string | number): boolean {
  return typeof answer === 'number' && answer >= 400 && answer < 500;
}
