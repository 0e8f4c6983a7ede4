import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../decode.ts';
import { EVENT_TYPES } from '../events/event.ts';
import { type ExactJson, stringifyExactJson } from '../exact-json.ts';
import { sleep } from '../http/patience.ts';
import { request } from '../http/request.ts';
import { Transport } from '../http/transport.ts';
import { readNumber, readOptions, required, UsageError } from './arguments.ts';
import { escapeForTerminal, printJson, printLine, printProgress, printTable } from './output.ts';

export const REHEARSE_HELP = `Usage: partner-impact-sdk rehearse --url URL [--wait HOURS] [--since TIME] [--json]

Sends every kind of event, and every fault, to your own receiver, and shows what is left before production.
BASE_URL is the address of the sandbox, API_KEY a key of yours with the permission manage.

  --url URL     address of your receiver; it becomes an endpoint if it is not one yet
  --wait HOURS  wait until your program has passed the other checks, so long at most
  --since TIME  count only what began at this time or later, such as 2026-11-20T19:29:00Z
  --json        one JSON object, for programs

The exit code is 0 when every answer was right and every check is passed, else 1; 2 when the address, the key or an option is wrong.`;

const FAULTS = ['duplicate', 'reordered', 'bad_signature', 'stale', 'unknown_type', 'rotation'];
/** Longer than the service takes to send a sample to a receiver that hangs. */
const TIMEOUT_MS = 60_000;
const DEADLINE_MS = 120_000;
const FIRST_DEADLINE_MS = 3_000;
const LOOK_EVERY_MS = 2_000;

interface Played {
  readonly sample: readonly [eventType: string, fault: string | null];
  readonly deliveries: readonly JsonObject[];
  readonly isRight: boolean;
}

/** @returns The exit code. */
export async function rehearse(words: readonly string[]): Promise<number> {
  const { url, wait, since, json } = readOptions(words, {
    url: { type: 'string' },
    wait: { type: 'string' },
    since: { type: 'string' },
    json: { type: 'boolean' },
  });
  const address = required('url', url);
  const waitMs = readNumber('wait', wait, { otherwise: 0, max: 168 }) * 3_600_000;
  const sinceTime = readTime(since);
  const sandbox = new Sandbox(process.env);
  await sandbox.require();
  const endpointId = await sandbox.findEndpoint(address);
  if (endpointId === undefined) return addEndpoint(sandbox, address, json === true);
  const played = await playAll(sandbox, endpointId);
  if (!json) printPlayed(played);
  const readiness = await untilReady(sandbox, waitMs, sinceTime);
  if (json) printJson({ endpoint_id: endpointId, samples: played.map(playedToWire), readiness });
  else printReadiness(readiness);
  return readiness['ready'] === true && played.every(({ isRight }) => isRight) ? 0 : 1;
}

/** The service, as a partner calls it. */
class Sandbox {
  readonly #transport: Transport;

  constructor({ BASE_URL: baseUrl = '', API_KEY: apiKey = '' }: NodeJS.ProcessEnv) {
    if (baseUrl === '') throw new UsageError('Set BASE_URL to the address of the sandbox, such as http://127.0.0.1:8080.');
    if (apiKey === '') throw new UsageError('Set API_KEY to your key of the sandbox, pi_sandbox_…');
    this.#transport = new Transport({ baseUrl, apiKey, timeoutMs: TIMEOUT_MS, fetch: (input, init) => fetch(input, init) });
  }

  get(path: string): Promise<JsonObject> {
    return request(this.#transport, { path }, { deadlineMs: DEADLINE_MS });
  }

  post(path: string, fields: JsonObject): Promise<JsonObject> {
    const call = { method: 'POST', path, idempotencyKey: randomUUID(), body: stringifyExactJson(fields) } as const;
    return request(this.#transport, call, { deadlineMs: DEADLINE_MS });
  }

  /** Soon, so that a wrong address is said soon. */
  async require(): Promise<void> {
    const { partner } = await request(this.#transport, { path: '/v1/partner' }, { deadlineMs: FIRST_DEADLINE_MS });
    if (!isJsonObject(partner) || partner['environment'] !== 'sandbox')
      throw new UsageError('BASE_URL is not a sandbox: nothing is rehearsed in production.');
  }

  async checklist(path: string): Promise<JsonObject> {
    const { readiness } = await this.get(path);
    if (!isJsonObject(readiness)) throw new Error(`${path} was not answered with a checklist.`);
    return readiness;
  }

  /** @returns `undefined` where the address is no endpoint. */
  async findEndpoint(url: string): Promise<string | undefined> {
    if (!URL.canParse(url))
      throw new UsageError('--url must be the whole address of your receiver, such as https://partner.example/hook.');
    const { webhook_endpoints: all } = await this.get('/v1/webhook-endpoints');
    const found = objectsOf(all).find((endpoint) => new URL(String(endpoint['url'])).href === new URL(url).href);
    if (!found) return undefined;
    const { endpoint_id: endpointId, status } = found;
    if (status === 'active') return String(endpointId);
    throw new UsageError(
      `The endpoint ${endpointId} is ${status}. Enable it: PATCH /v1/webhook-endpoints/${endpointId} {"status":"active"}.`,
    );
  }
}

/** A receiver can verify nothing before it has the secret, which was created a moment ago. */
async function addEndpoint(sandbox: Sandbox, url: string, isJson: boolean): Promise<number> {
  const { webhook_endpoint: endpoint, secret } = await sandbox.post('/v1/webhook-endpoints', { url });
  const endpointId = isJsonObject(endpoint) ? (endpoint['endpoint_id'] ?? null) : null;
  if (isJson) printJson({ endpoint_id: endpointId, secret: secret ?? null, samples: [], readiness: null });
  else {
    printLine(`Added the endpoint ${endpointId}. Its secret, which is shown once:\n\n    ${secret}\n`);
    printLine('Give the secret to your receiver, then repeat the command.');
  }
  return 1;
}

async function playAll(sandbox: Sandbox, endpointId: string): Promise<Played[]> {
  const samples: Played['sample'][] = [
    ...EVENT_TYPES.map((eventType) => [eventType, null] as const),
    ...FAULTS.map((fault) => ['impact.transaction.confirmed', fault] as const),
  ];
  const played: Played[] = [];
  for (const sample of samples) {
    const [event_type, fault] = sample;
    const fields = { event_type, endpoint_id: endpointId, ...(fault !== null && { fault }) };
    const deliveries = objectsOf((await sandbox.post('/v1/sandbox/events', fields))['deliveries']);
    played.push({ sample, deliveries, isRight: deliveries.every((delivery) => delivery['as_expected'] === true) });
  }
  return played;
}

/** Evidence that is recorded beside an answer is stored a moment later. */
async function untilReady(sandbox: Sandbox, waitMs: number, since: Date | undefined): Promise<JsonObject> {
  const path = `/v1/sandbox/readiness${since ? `?since=${since.toISOString()}` : ''}`;
  const endsAt = performance.now() + waitMs;
  for (let known = new Set<string>(), isFirst = true; ; isFirst = false) {
    const readiness = await sandbox.checklist(path);
    const checks = objectsOf(readiness['checks']);
    const passed = checks.filter((check) => check['passed'] === true).map(({ check }) => String(check));
    if (!isFirst) for (const check of passed.filter((each) => !known.has(each))) printProgress(`passed: ${check}`);
    known = new Set(passed);
    if (readiness['ready'] === true || performance.now() >= endsAt) return readiness;
    const left = checks.length - passed.length;
    if (isFirst)
      printProgress(`${left === 1 ? '1 check is' : `${left} checks are`} left. Waiting for your program; Ctrl-C ends it.`);
    await sleep(LOOK_EVERY_MS);
  }
}

function printPlayed(played: readonly Played[]): void {
  const rows = played.map(({ sample: [eventType, fault], deliveries, isRight }) => [
    eventType,
    fault ?? '-',
    textOf(deliveries[0]?.['expected']),
    deliveries.map(answerOf).map(textOf).join(', '),
    isRight ? 'yes' : 'NO',
  ]);
  printTable(['EVENT', 'FAULT', 'MUST BE', 'ANSWER', 'RIGHT'], rows);
}

function playedToWire({ sample: [event_type, fault], deliveries, isRight }: Played): JsonObject {
  const expected = deliveries[0]?.['expected'] ?? null;
  return { event_type, fault, answers: deliveries.map(answerOf), expected, as_expected: isRight };
}

function answerOf({ status, error_class }: JsonObject): ExactJson {
  return status ?? error_class ?? 'no answer';
}

function printReadiness(readiness: JsonObject): void {
  const checks = objectsOf(readiness['checks']);
  const rows = checks.map(({ check, passed, evidence }) => [
    textOf(check),
    passed === true ? 'yes' : 'no',
    objectsOf(evidence)
      .map(({ correlation_id, subject_id }) => textOf(correlation_id ?? subject_id))
      .join(' ') || '-',
  ]);
  printLine('');
  printTable(['CHECK', 'PASSED', 'EVIDENCE'], rows);
  printLine(readiness['ready'] === true ? '\nEvery check is passed.' : '\nWhat is left to do:');
  for (const { check, passed, what_to_do: whatToDo } of checks) if (passed !== true) printLine(`  ${check}: ${whatToDo}`);
}

function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || Number.isNaN(time.getTime()))
    throw new UsageError('--since must be a time such as 2026-11-20T19:29:00Z.');
  return time;
}

function objectsOf(value: ExactJson | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: ExactJson | undefined): string {
  return value === undefined || value === null ? '-' : escapeForTerminal(String(value));
}
