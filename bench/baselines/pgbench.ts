import { execFile } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { newToken } from '../rows/identifiers.ts';
import { contributionColumns, fitToTable } from '../rows/rows.ts';

/** The most clients; more make it slower here and elsewhere. */
const CLIENTS_MAX = 32;
const THREADS_MAX = 2;
/** Another partner than that of the service, so that neither counts as the other. */
const PARTNER = 'ptn_of_pgbench';

/** Loads the server, and gives its transactions per second. */
export type Pgbench = (load: { connections: number; seconds: number }) => Promise<number>;

export interface Pgbenches {
  /** Inserts the same rows as the service. */
  readonly sameRows: Pgbench;
  /** Inserts into the least table that could do the job. */
  readonly leastTable: Pgbench;
}

/** On the path, or where Debian keeps it: the newest. */
export function findPgbench(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'pgbench'));
  const ofDebian = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse();
  return [...onPath, ...ofDebian].find((file) => existsSync(file));
}

interface Target {
  readonly pool: pg.Pool;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * What PostgreSQL itself does with a contribution and its event per transaction: one prepared statement, no service before it. Once with
 * the same rows, all columns and all indexes; once with the least table.
 */
export async function preparePgbench(program: string, target: Target, cleanUp: AsyncDisposableStack): Promise<Pgbenches> {
  await target.pool.query(LEAST_TABLE);
  cleanUp.defer(async () => void (await target.pool.query('drop schema bench_least cascade')));
  return {
    sameRows: openPgbench(program, target, {
      writeScript: () => writeScript(target.pool),
      // Nobody relays these events, and what is left of a load would be a burden on the next.
      tidy: { text: 'delete from event_outbox where partner_id = $1', values: [PARTNER] },
    }),
    leastTable: openPgbench(program, target, {
      writeScript: async () => writeLeastScript(),
      tidy: { text: 'delete from bench_least.event' },
    }),
  };
}

interface Work {
  writeScript(): Promise<string>;
  readonly tidy: pg.QueryConfig;
}

function openPgbench(program: string, target: Target, work: Work): Pgbench {
  const script = join(target.folder, 'pgbench.sql');
  return async ({ connections, seconds }) => {
    writeFileSync(script, await work.writeScript());
    const clients = Math.min(connections, CLIENTS_MAX);
    const threads = Math.min(clients, THREADS_MAX);
    const words = ['-n', '-M', 'prepared', '-c', clients, '-j', threads, '-T', seconds, '-D', 'round=0', '-f', script];
    const { stdout } = await promisify(execFile)(program, [...words.map(String), target.databaseUrl], { signal: target.signal });
    await target.pool.query(work.tidy);
    const [, perSecond] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
    if (perSecond === undefined) throw new Error(`pgbench did not report what it did:\n${stdout}`);
    return Number(perSecond);
  };
}

/** pgbench is not to pay for computing what the service computes outside the database. */
const FINGERPRINT = `'\\x${'5a'.repeat(32)}'::bytea`;
/** The clients take turns, so that new transaction ids stand at the end of their index as those of the service do. */
const NUMBERING = `\\set round :round + 1
\\set number :round * ${CLIENTS_MAX} + :client_id
`;

/** What each client does over and over. */
export async function writeScript(pool: pg.Pool): Promise<string> {
  const terms = { partner: `'${PARTNER}'`, token: newToken(), number: ':number::bigint' };
  const columns = await fitToTable(pool, 'contribution', {
    ...contributionColumns(terms),
    fingerprint: FINGERPRINT,
  });
  const names = Object.keys(columns).join(', ');
  const values = Object.values(columns).join(', ');
  return `${NUMBERING}with inserted as (
  insert into contribution (${names}) values (${values}) returning partner_id, transaction_id, correlation_id, created_at
)
insert into event_outbox (partner_id, event_id, event_type, subject_id, correlation_id, occurred_at)
select partner_id, 'evt_' || substr(transaction_id, 5), 'impact.transaction.confirmed', transaction_id, correlation_id, created_at
from inserted;
`;
}

/**
 * The least table that could do the job: the fields of the contract alone, unique by transaction, by key and by event, and a row for the event.
 * It has no rule of one contribution for an order, no versions of rules, no texts, no seal, and nothing that settlements read.
 */
export const LEAST_TABLE = `create schema if not exists bench_least;
  create table if not exists bench_least.contribution (
    transaction_id text collate "C" primary key,
    partner_id text collate "C" not null,
    idempotency_key text collate "C" not null,
    fingerprint bytea not null,
    partner_event_id text collate "C" not null,
    partner_order_ref text collate "C" not null,
    points int8 not null,
    opaque_customer_ref text collate "C",
    status text collate "C" not null,
    created_at timestamptz not null,
    unique (partner_id, idempotency_key),
    unique (partner_id, partner_event_id)
  );
  create table if not exists bench_least.event (transaction_id text collate "C" not null, occurred_at timestamptz not null)`;

const LEAST_COLUMNS = [
  'transaction_id',
  'partner_id',
  'idempotency_key',
  'partner_event_id',
  'partner_order_ref',
  'points',
  'opaque_customer_ref',
  'status',
  'created_at',
];

/** The same identifiers in the same order as {@link writeScript}. */
export function writeLeastScript(): string {
  const terms = { partner: `'${PARTNER}'`, token: newToken(), number: ':number::bigint' };
  const all = contributionColumns(terms);
  const columns = { ...Object.fromEntries(LEAST_COLUMNS.map((name) => [name, all[name]])), fingerprint: FINGERPRINT };
  return `${NUMBERING}with inserted as (
  insert into bench_least.contribution (${Object.keys(columns).join(', ')}) values (${Object.values(columns).join(', ')})
  returning transaction_id, created_at
)
insert into bench_least.event (transaction_id, occurred_at) select transaction_id, created_at from inserted;
`;
}
