/**
 * Measures what an event costs on its way from the confirmation to the receiver, and what the service costs while nobody calls.
 *
 *     npm run event-costs -- [options]
 *
 *     --seconds N      how long each load takes (5)
 *     --partners N     how many idle partners there are in the second measurement at rest, each with an endpoint (10000)
 *     --rates 50,1000  confirmations per second (50,1000); 0 is as many as 128 connections can send
 *     --against REV    measures another revision first
 *     --database-url U measures on that server, in an empty database that the service may fill; for a server of another release
 *
 * One partner has one endpoint that wants every event; its receiver is a process of its own. Each event is fetched by GET /v1/events while
 * it is delivered: its age when it is first seen there is printed. Exit code 1 when a request failed or an event was not delivered.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { readArguments, readWhole, refuseArguments } from '../../reliability/harness/arguments.ts';
import { percentile, printFigures, progress, Violations } from '../../reliability/harness/report.ts';
import { loadByAutocannon } from '../load/autocannon.ts';
import { failures } from '../load/load.ts';
import { findWrk, loadByWrk } from '../load/wrk.ts';
import { newToken } from '../rows/identifiers.ts';
import { openPool, readServer, settle } from '../subject/database.ts';
import { unpackRevision } from '../subject/other-revision.ts';
import { type Processes, type ProcessorTime, processorTime, processorTimeSince } from '../subject/processor-time.ts';
import { type Partner, Subject } from '../subject/subject.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const REST_SECONDS = 10;
const FEW_PARTNERS = 10;
const CONNECTIONS = 128;
const WARM_UP = { ratePerSecond: 2_000, seconds: 3 };
const FETCH_PAUSE_MS = 5;
const PATIENCE_MS = 30_000;
/** The job that opens them runs every minute. */
const SETTLEMENTS_PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 20;
const PAGE = 500;

const given = readArguments(import.meta.filename, {
  seconds: { type: 'string', default: '5' },
  partners: { type: 'string', default: '10000' },
  rates: { type: 'string', default: '50,1000' },
  against: { type: 'string' },
  'database-url': { type: 'string' },
});
const seconds = readWhole('seconds', given.seconds, { min: 1, max: 600 });
const partners = readWhole('partners', given.partners, { min: FEW_PARTNERS, max: 1_000_000 });
const databaseUrl = given['database-url'];
if (given.against !== undefined && databaseUrl !== undefined)
  refuseArguments('--against needs a server for each revision, so it does not go with --database-url.');
const rates = given.rates.split(',').map((text) => readWhole('rates', text, { min: 0, max: 1_000_000 }));
const violations = new Violations();
const { signal } = new AbortController();

await using cleanUp = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'partner-impact-event-costs-'));
cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
const receiver = await startReceiver(cleanUp);
if (given.against !== undefined)
  await measure(given.against, unpackRevision(REPOSITORY, given.against, join(folder, 'other')), join(folder, 'other'));
await measure('working tree', REPOSITORY, join(folder, 'own'));
process.exitCode = violations.printVerdict(`${given.rates} events a second of ${partners} partners, ${seconds} s each`);

/** One revision, on a server of its own. */
async function measure(name: string, repository: string, ownFolder: string): Promise<void> {
  await using parts = new AsyncDisposableStack();
  const subject = await Subject.create({ name, repository, folder: ownFolder, databaseUrl, processes: 1 });
  parts.defer(() => subject.stop());
  await subject.start(signal);
  const pool = openPool(subject.databaseUrl);
  parts.defer(() => pool.end());
  const { pid: serverPid = 0 } = await readServer(pool);
  const processes = { pid: subject.pid, serverPid };
  const of: Measured = { subject, pool, processes, partner: await subject.makePartner(), run: newToken() };
  const figures: Record<string, string> = {};
  // Before the idle ones, whose secrets no key opens: it would be refused as one under a foreign key.
  await subject.addEndpoint(of.partner.partnerId, receiver.urlOf(of.run));
  await insertIdlePartners(pool, FEW_PARTNERS);
  const few = await measureRest(of);
  figures[`at rest, ${FEW_PARTNERS} partners`] = printRest(few);
  await insertIdlePartners(pool, partners);
  await settle(pool);
  const many = await measureRest(of);
  figures[`at rest, ${partners} partners`] =
    `${printRest(many)}, ${((many.service + many.database) / (few.service + few.database)).toFixed(2)}×`;
  await measureLoad(of, WARM_UP);
  for (const ratePerSecond of rates) Object.assign(figures, await measureLoad(of, { ratePerSecond, seconds }));
  printFigures(name, figures);
}

interface Measured {
  readonly subject: Subject;
  readonly pool: pg.Pool;
  readonly processes: Processes;
  readonly partner: Partner;
  /** What the receiver knows its deliveries by. */
  readonly run: string;
}

/** Partners who do nothing, each with an endpoint, until there are so many. */
async function insertIdlePartners(pool: pg.Pool, count: number): Promise<void> {
  progress(`${count} partners`);
  const numbers = `from generate_series(1, ${count}) as number`;
  const id = "'ptn_idle_' || lpad(number::text, 8, '0')";
  const endpoint = "'wep_idle_' || lpad(number::text, 8, '0')";
  for (const text of [
    `insert into partner (partner_id, name, writes_per_second, lookups_per_second, reports_per_second)
      select ${id}, 'Idle', 1000, 1000, 1000 ${numbers}`,
    `insert into event_counter (partner_id) select ${id} ${numbers}`,
    // It wants no event of a partner who does nothing. Nothing could be sent to it, because no audit entry has it.
    `insert into webhook_endpoint (partner_id, endpoint_id, url, event_types, status, created_at, changed_at, secret_sealed)
      select ${id}, ${endpoint}, 'https://example.com/', '{impact.transaction.failed}', 'active', now(), now(), 'none' ${numbers}`,
    `insert into endpoint_health (partner_id, endpoint_id) select ${id}, ${endpoint} ${numbers}`,
  ])
    await pool.query(`${text} on conflict do nothing`);
  await untilSettlementsOpen(pool);
}

/** The schedule opens the first settlement of a partner who was not created by an operation. It does so once, and is not at rest meanwhile. */
async function untilSettlementsOpen(pool: pg.Pool): Promise<void> {
  const text = `select count(*)::int4 as left from partner p
    where not exists (select from settlement s where s.partner_id = p.partner_id)
      or exists (select from event_outbox o where o.partner_id = p.partner_id)`;
  for (const sinceMs = performance.now(); performance.now() - sinceMs < SETTLEMENTS_PATIENCE_MS; await sleep(1_000)) {
    const { rows } = await pool.query<{ left: number }>(text);
    if (rows[0]?.left === 0) return;
  }
  throw new Error('The schedule has not opened the settlements of the idle partners.');
}

async function measureRest(of: Measured): Promise<ProcessorTime> {
  await sleep(1_000);
  const before = processorTime(of.processes);
  await sleep(REST_SECONDS * 1_000);
  return processorTimeSince(of.processes, before);
}

function printRest({ service, database }: ProcessorTime): string {
  const share = (cpuSeconds: number) => `${((cpuSeconds / REST_SECONDS) * 100).toFixed(1)} %`;
  return `service ${share(service)} of a core, PostgreSQL ${share(database)}`;
}

interface LoadOptions {
  readonly ratePerSecond: number;
  readonly seconds: number;
}

/** Confirms at that rate until every event was fetched and delivered. */
async function measureLoad(of: Measured, { ratePerSecond, seconds }: LoadOptions): Promise<Record<string, string>> {
  const { subject, pool, partner, run } = of;
  const name = ratePerSecond === 0 ? 'as fast as possible' : `${ratePerSecond} a second`;
  progress(name);
  await settle(pool);
  await receiver.forget(run);
  const first = await findLastSequence(of);
  const written = await readWritten(pool);
  const before = processorTime(of.processes);
  const fetching = fetchEvents(of, first, receiver);
  const none = { token: newToken(), count: 1 };
  const loaded = await (findWrk() ? loadByWrk : loadByAutocannon)(
    {
      scenario: 'confirm',
      baseUrl: subject.baseUrl,
      apiKey: partner.apiKey,
      connections: CONNECTIONS,
      seconds,
      token: newToken(),
      known: none,
      replayable: none,
      ...(ratePerSecond > 0 && { ratePerSecond }),
    },
    signal,
  );
  const unanswered = failures(loaded);
  if (unanswered > 0) violations.report(`${unanswered} confirmations failed at ${name}`);
  const { ages, events } = await fetching.end();
  const cpu = processorTimeSince(of.processes, before);
  const after = await readWritten(pool);
  const each = (value: number, unit: string) => `${(value / events).toFixed(unit === '' ? 2 : 0)}${unit}`;
  const { count: delivered } = await receiver.read(run);
  if (delivered < events) violations.report(`${delivered} of ${events} events were delivered at ${name}`);
  return {
    [`${name}: events`]: String(events),
    [`${name}: confirmation`]: `median ${loaded.p50Ms.toFixed(1)} ms, p99 ${loaded.p99Ms.toFixed(1)} ms`,
    [`${name}: fetched after`]: `median ${percentile(ages, 0.5)} ms, p99 ${percentile(ages, 0.99)} ms`,
    [`${name}: processor time an event`]: `service ${each(cpu.service * 1e6, ' µs')}, PostgreSQL ${each(cpu.database * 1e6, ' µs')}`,
    [`${name}: WAL an event`]: each(after.walBytes - written.walBytes, ' bytes'),
    [`${name}: rows written an event`]: each(after.rows - written.rows, ''),
    [`${name}: transactions an event`]: each(after.transactions - written.transactions, ''),
  };
}

async function findLastSequence({ pool, partner }: Measured): Promise<number> {
  const text = `select last_sequence + (select count(*) from event_outbox where partner_id = $1) as last from event_counter
    where partner_id = $1`;
  return (await pool.query<{ last: number }>(text, [partner.partnerId])).rows[0]?.last ?? 0;
}

/** Fetches what comes, over and over, and notes how old each event is by then. */
function fetchEvents({ subject, pool, partner, run }: Measured, after: number, { read }: Receiver) {
  const ages: number[] = [];
  let [last, isOver] = [after, false];
  const fetchOn = async () => {
    while (!isOver) {
      const url = `${subject.baseUrl}/v1/events?after_sequence=${last}&limit=${PAGE}`;
      const answer = await fetch(url, { headers: { 'x-api-key': partner.apiKey } });
      const { events } = (await answer.json()) as { events: { sequence: number; occurred_at: string }[] };
      for (const { occurred_at } of events) ages.push(Date.now() - Date.parse(occurred_at));
      last = events.at(-1)?.sequence ?? last;
      await sleep(FETCH_PAUSE_MS);
    }
  };
  const fetching = fetchOn();
  return {
    /** Waits until all are fetched, delivered and recorded. */
    async end() {
      for (const sinceMs = performance.now(); performance.now() - sinceMs < PATIENCE_MS; await sleep(LOOK_EVERY_MS)) {
        if ((await read(run)).count < last - after) continue;
        const { rows } = await pool.query<{ left: number }>(
          `select (select count(*) from event_outbox where partner_id = $1) + (select count(*) from event where partner_id = $1
            and sequence > $2) + (select count(*) from delivery where partner_id = $1 and ended_at is null) as left`,
          [partner.partnerId, last],
        );
        if (rows[0]?.left === 0) break;
      }
      isOver = true;
      await fetching;
      return { ages, events: last - after };
    },
  };
}

interface Written {
  readonly walBytes: number;
  readonly rows: number;
  readonly transactions: number;
}

/** The server counts what a session did within a second of its last statement. */
async function readWritten(pool: pg.Pool): Promise<Written> {
  await sleep(1_200);
  const { rows } = await pool.query<Written>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8 as "walBytes", tup_inserted + tup_updated + tup_deleted as rows,
      xact_commit as transactions from pg_stat_database where datname = current_database()`,
  );
  return rows[0] as Written;
}
