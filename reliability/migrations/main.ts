/**
 * Brings a database of an earlier release up to date, with millions of contributions, while others write: nobody may wait for it.
 *
 *     npm run migrations -- [--rows 2000000] [--writers 4]
 *
 *   --rows     how many contributions, and a tenth as many estimates (default 2000000)
 *   --writers  how many sessions write one contribution and one estimate after the other all the while (default 4)
 *
 * Beside them a session reads each of the two tables in transactions of two seconds, as a report does, so that the migrations have to wait.
 * Exit code 1 when a statement of a writer fails, or waits longer than 500 ms for a lock, when the database is not up to date at the end,
 * or when a row of before differs or one of a writer is missing. A run is void when it applied no file, or nothing was written meanwhile.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newToken } from '../../bench/rows/identifiers.ts';
import { openEmbedded } from '../../src/embedded-postgres/open-embedded.ts';
import { migrate, readMigrationState } from '../../src/store/schema/migrate.ts';
import { applyOlder, insertOldRows } from '../../test/support/postgres/older-database.ts';
import { readArguments, readWhole } from '../harness/arguments.ts';
import { percentile, printFigures, progress, Violations } from '../harness/report.ts';
import { checkMigrations } from './check-migrations.ts';
import { readOldRows } from './old-rows.ts';

const FIRST = '0009_reconciliation_key';
const FILL_AT_ONCE = 250_000;
const READ_FOR_MS = 2_000;
const READ_PAUSE_MS = 1_000;
const LOOK_EVERY_MS = 5;

const given = readArguments(import.meta.filename, {
  rows: { type: 'string', default: '2000000' },
  writers: { type: 'string', default: '4' },
});
const rows = readWhole('rows', given.rows, { min: 1, max: 100_000_000 });
const writers = readWhole('writers', given.writers, { min: 1, max: 64 });

const violations = new Violations();
await using cleanUp = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), 'partner-impact-reliability-'));
cleanUp.defer(() => rmSync(folder, { recursive: true, force: true }));
const server = await openEmbedded(folder, { onProgress: progress });
cleanUp.defer(() => server.stop());
const databaseUrl = `postgresql:///postgres?host=${encodeURIComponent(server.socketDirectory)}&user=postgres`;
const pool = new pg.Pool({ connectionString: databaseUrl, max: writers + 4 });
pool.on('error', () => {});
cleanUp.defer(() => pool.end());
await run();
process.exitCode = violations.printVerdict(`${rows} contributions beside ${writers} writers`);

async function run(): Promise<void> {
  await applyOlder(pool, FIRST);
  const token = await fill();
  const oldRows = await readOldRows(pool, token);
  const before = await whileWriting(() => sleep(10_000));
  progress('Ten seconds without a migration are over; now it begins, beside a reader');
  const during = await whileWriting(async () => {
    const reader = new AbortController();
    const reading = read(reader.signal);
    const applied = await migrate(databaseUrl).finally(() => reader.abort());
    await reading;
    return applied.length;
  });
  const { pending } = await readMigrationState(pool);
  progress('The rows are compared');
  const kept = await oldRows.compare();
  const written = { expected: before.taken.length + during.taken.length, found: kept.others };
  checkMigrations(
    {
      applied: during.outcome,
      pending,
      longestWaitMs: during.longestWaitMs,
      pairsMeanwhile: during.taken.length,
      changed: kept.changed,
      written,
    },
    violations.report,
  );
  printFigures(`${rows} contributions, ${writers} writers`, {
    'files applied': during.outcome,
    'taken for all of them': `${(during.milliseconds / 1_000).toFixed(1)} s`,
    'rows of before that were compared': kept.compared,
    'written meanwhile': `${during.taken.length} pairs, ${Math.round(during.taken.length / (during.milliseconds / 1_000))} a second`,
    'longest wait for a lock, before': `${before.longestWaitMs} ms`,
    'longest wait for a lock, during': `${during.longestWaitMs} ms`,
    'a pair, before': describe(before.taken),
    'a pair, during': describe(during.taken),
  });
}

function describe(taken: readonly number[]): string {
  const [half, most] = [0.5, 0.99].map((share) => percentile(taken, share).toFixed(1));
  return `median ${half} ms, p99 ${most} ms, longest ${Math.max(...taken).toFixed(1)} ms`;
}

/** @returns The token in the identifiers of its rows. */
async function fill(): Promise<string> {
  const token = newToken();
  const client = await pool.connect();
  await client.query('set synchronous_commit = off');
  for (let first = 1; first <= rows; first += FILL_AT_ONCE) {
    const last = Math.min(first + FILL_AT_ONCE - 1, rows);
    await insertOldRows(client, { token, first, last, tables: ['contribution'] });
    progress(`${last} contributions`);
  }
  await insertOldRows(client, { token, first: 1, last: Math.ceil(rows / 10), tables: ['estimate'] });
  client.release(true);
  for (const text of ['vacuum analyze', 'checkpoint']) await pool.query(text);
  return token;
}

/** Transactions that read both tables, one after the other. */
async function read(signal: AbortSignal): Promise<void> {
  const client = await pool.connect();
  while (!signal.aborted) {
    await client.query('begin; select from contribution limit 1; select from estimate limit 1');
    await sleep(READ_FOR_MS, undefined, { signal }).catch(() => {});
    await client.query('commit');
    await sleep(READ_PAUSE_MS, undefined, { signal }).catch(() => {});
  }
  client.release();
}

interface Written<Outcome> {
  readonly outcome: Outcome;
  readonly milliseconds: number;
  /** Milliseconds of each pair. */
  readonly taken: readonly number[];
  readonly longestWaitMs: number;
}

async function whileWriting<Outcome>(work: () => Promise<Outcome>): Promise<Written<Outcome>> {
  const stop = new AbortController();
  const taken: number[] = [];
  const clients = await Promise.all(Array.from({ length: writers }, () => pool.connect()));
  const writing = clients.map((client) => write(client, taken, stop.signal));
  const watching = watch(stop.signal);
  const since = performance.now();
  const outcome = await work().finally(() => stop.abort());
  const milliseconds = performance.now() - since;
  await Promise.all(writing);
  return { outcome, milliseconds, taken, longestWaitMs: await watching };
}

async function write(client: pg.PoolClient, taken: number[], signal: AbortSignal): Promise<void> {
  await client.query("set application_name = 'writer'");
  for (let [token, number] = [newToken(), 1]; !signal.aborted; number++) {
    const since = performance.now();
    await insertOldRows(client, { token, first: number, last: number }).catch((failure: Error) =>
      violations.report(`a writer failed: ${failure.message}`, failure.message),
    );
    taken.push(performance.now() - since);
  }
  client.release();
}

/** @returns The longest that a writer was seen to wait for a lock. */
async function watch(signal: AbortSignal): Promise<number> {
  let longestMs = 0;
  while (!signal.aborted) {
    const { rows: found } = await pool.query<{ waited: number | null }>(
      `select (extract(epoch from max(clock_timestamp() - l.waitstart)) * 1000)::int4 as waited
       from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.application_name = 'writer'`,
    );
    longestMs = Math.max(longestMs, found[0]?.waited ?? 0);
    await sleep(LOOK_EVERY_MS);
  }
  return longestMs;
}
