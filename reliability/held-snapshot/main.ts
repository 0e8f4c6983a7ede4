/**
 * A snapshot is held for minutes, as a backup or a long closing holds one, while contributions are confirmed and their events sent.
 * Everything that relay and dispatcher take away stays in the tables, dead. An event must be fetched within a second all the while.
 *
 *     node reliability/held-snapshot/main.ts [--minutes 10] [--rate 200] [--partners 4] [--repository PATH]
 *
 *   --minutes     how long the snapshot is held (default 10); one minute without it comes before
 *   --rate        confirmations a second, over all partners (default 200)
 *   --partners    how many, with an endpoint each (default 4); one more confirms once in a while, and its events are waited for
 *   --repository  the service of another checkout, to compare with
 *
 * Prints for each minute how long an event took after the answer of its confirmation, until it was fetched and until it was sent;
 * ends with 1 when one was fetched after more than a second or a minute had none, when a confirmation was refused, when an event of an
 * acknowledged one did not arrive, or when anything is left unsequenced or unsent at the end.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../../test/support/client.ts';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { Installation, makePartner } from '../harness/installation.ts';
import { printFigures, progress, Violations } from '../harness/report.ts';
import { addEndpoint } from '../webhooks/set-up.ts';

const FETCHED_WITHIN_MS = 1_000;
const PROBE_EVERY_MS = 250;
const LOOK_EVERY_MS = 5;
const MINUTE_MS = 60_000;

const given = readArguments(import.meta.filename, {
  minutes: { type: 'string', default: '10' },
  rate: { type: 'string', default: '200' },
  partners: { type: 'string', default: '4' },
  repository: { type: 'string', default: join(import.meta.dirname, '../..') },
});
const minutes = readWhole('minutes', given.minutes, { min: 1, max: 600 });
const rate = readWhole('rate', given.rate, { min: 1, max: 10_000 });
const partners = readWhole('partners', given.partners, { min: 1, max: 100 });
const env = { WEBHOOK_ALLOW_INSECURE: 'true', SECRETS_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}` };

const violations = new Violations();
let lastSequence = 0n;
await using cleanUp = new AsyncDisposableStack();
/** By transaction id, of those that are waited for: when its event was sent. */
const awaited = new Map<string, (atMs: number) => void>();
/** Transaction ids: of the answers, and of the events that came. */
const acknowledged = new Set<string>();
const received = new Set<string>();
const receiverUrl = await openReceiver();
const installation = await Installation.start({ repository: given.repository, env });
cleanUp.defer(() => installation.close());
const database = installation.openDatabase();
cleanUp.defer(() => database.close());
const writers = await Promise.all(Array.from({ length: partners }, enter));
const probing = await enter();
await run();
process.exitCode = violations.printVerdict(`${minutes} minutes at ${rate} confirmations a second of ${partners} partners`);

async function run(): Promise<void> {
  const stop = new AbortController();
  const writing = write(stop.signal);
  const figures: Record<string, string> = {};
  progress('One minute without a snapshot');
  figures['before'] = await probe();
  const snapshot = await database.pool.connect();
  await snapshot.query('begin isolation level repeatable read; set local idle_in_transaction_session_timeout = 0; select 1');
  progress(`A snapshot is held for ${minutes} minutes`);
  for (let minute = 1; minute <= minutes; minute++) {
    figures[`minute ${minute}`] = await probe();
    progress(`${minute}: ${figures[`minute ${minute}`]}`);
  }
  const { rows } = await database.pool.query(
    "select relname || ' ' || n_dead_tup as dead from pg_stat_user_tables where relname in ('event_outbox', 'delivery', 'event_counter', 'endpoint_health')",
  );
  figures['dead rows'] = rows.map(({ dead }) => dead).join(', ');
  stop.abort();
  await writing;
  figures['confirmed'] = String(acknowledged.size);
  await untilSent();
  const missing = [...acknowledged.difference(received)];
  if (missing.length > 0) violations.report(`${missing.length} acknowledged without an event, such as ${missing[0]}`);
  await snapshot.query('commit');
  snapshot.release();
  printFigures(`${rate} confirmations a second, ${partners} partners with an endpoint each`, figures);
}

async function enter(): Promise<Client> {
  const { partnerId, apiKey } = await makePartner(database);
  await addEndpoint(given.repository, installation, { partnerId, url: receiverUrl, env });
  return new Client(installation.baseUrl, apiKey);
}

async function openReceiver(): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { data } = JSON.parse(Buffer.concat(chunks).toString());
    response.end(JSON.stringify({ challenge: data.challenge }));
    received.add(data.contribution?.transaction_id);
    awaited.get(data.contribution?.transaction_id)?.(performance.now());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** At the rate, whether or not the answers keep up. */
async function write(signal: AbortSignal): Promise<void> {
  const sent = new Set<Promise<unknown>>();
  const startedAtMs = performance.now();
  for (let begun = 0; !signal.aborted; begun++) {
    const answered = confirm(writers[begun % writers.length] as Client).finally(() => sent.delete(answered));
    sent.add(answered);
    await sleep(Math.max(startedAtMs + ((begun + 1) * 1_000) / rate - performance.now(), 0));
  }
  await Promise.all(sent);
}

/** @returns The transaction id; `undefined` without an acknowledgement. */
async function confirm(client: Client): Promise<string | undefined> {
  // A connection may be closed just when it is used again: that one is left out.
  const answer = await client.confirm().catch(() => undefined);
  if (answer === undefined) return undefined;
  if (answer.status !== 201) {
    violations.report(`a confirmation was answered ${answer.text}`, `status ${answer.status}`);
    return undefined;
  }
  const { transaction_id: id } = answer.body.contribution;
  acknowledged.add(id);
  return id;
}

/** For a minute. */
async function probe(): Promise<string> {
  const [fetched, sent]: [number[], number[]] = [[], []];
  for (const endsAtMs = performance.now() + MINUTE_MS; performance.now() < endsAtMs; await sleep(PROBE_EVERY_MS)) {
    const id = await confirm(probing);
    if (id === undefined) continue;
    const answeredAtMs = performance.now();
    const arrival = new Promise<number>((resolve) => awaited.set(id, resolve));
    if (received.has(id)) awaited.get(id)?.(performance.now());
    if (!(await isFetched(id))) violations.report(`the event of ${id} could not be fetched`, 'never fetched');
    fetched.push(performance.now() - answeredAtMs);
    const arrivedAtMs = await Promise.race([arrival, sleep(MINUTE_MS, undefined, { ref: false })]);
    if (arrivedAtMs !== undefined) sent.push(arrivedAtMs - answeredAtMs);
    awaited.delete(id);
  }
  const longest = Math.max(...fetched);
  if (longest > FETCHED_WITHIN_MS) violations.report(`an event was fetched after ${Math.round(longest)} ms`, 'late');
  if (fetched.length === 0) violations.report('void: a minute without a confirmation to measure');
  return `fetched after ${describe(fetched)}, sent after ${describe(sent)}`;
}

/** Whether it is, before a minute is over. */
async function isFetched(transactionId: string): Promise<boolean> {
  for (const endsAtMs = performance.now() + MINUTE_MS; performance.now() < endsAtMs; await sleep(LOOK_EVERY_MS)) {
    const answer = await probing.call(`/v1/events?after_sequence=${lastSequence}`).catch(() => undefined);
    if (answer?.status !== 200) continue;
    const { body } = answer;
    lastSequence = BigInt(body.next_after_sequence ?? lastSequence);
    const isIt = ({ data }: { data: { contribution?: { transaction_id: string } } }) =>
      data.contribution?.transaction_id === transactionId;
    if (body.events.some(isIt)) return true;
  }
  return false;
}

function describe(times: number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)}`;
  return `${at(0.5)} / ${at(0.99)} / ${at(1)} ms (median, p99, longest of ${sorted.length})`;
}

async function untilSent(): Promise<void> {
  const endsAtMs = performance.now() + MINUTE_MS;
  for (;;) {
    const { rows } = await database.pool.query(
      'select (select count(*) from event_outbox)::int4 as unsequenced, (select count(*) from delivery where ended_at is null)::int4 as unsent',
    );
    const [{ unsequenced, unsent }] = rows as [{ unsequenced: number; unsent: number }];
    if (unsequenced + unsent === 0) return;
    if (performance.now() > endsAtMs)
      return violations.report(`${unsequenced} events have no sequence, and ${unsent} deliveries are not sent`);
    await sleep(PROBE_EVERY_MS);
  }
}
