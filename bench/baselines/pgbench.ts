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

export type Pgbench = (load: { connections: number; seconds: number }) => Promise<number>;

/** On the path, or where Debian keeps it: the newest. */
export function findPgbench(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'pgbench'));
  const ofDebian = globSync('/usr/lib/postgresql/*/bin/pgbench').sort().reverse();
  return [...onPath, ...ofDebian].find((file) => existsSync(file));
}

/**
 * What PostgreSQL itself does with the same rows, a contribution and its event per transaction: all columns, all indexes, one
 * prepared statement, no service before it.
 *
 * @returns A function that loads the server and gives its transactions per second.
 */
export async function preparePgbench(
  program: string,
  target: { pool: pg.Pool; databaseUrl: string; folder: string; signal: AbortSignal },
): Promise<Pgbench> {
  const script = join(target.folder, 'pgbench.sql');
  return async ({ connections, seconds }) => {
    writeFileSync(script, await writeScript(target.pool));
    const clients = Math.min(connections, CLIENTS_MAX);
    const threads = Math.min(clients, THREADS_MAX);
    const words = ['-n', '-M', 'prepared', '-c', clients, '-j', threads, '-T', seconds, '-D', 'round=0', '-f', script];
    const { stdout } = await promisify(execFile)(program, [...words.map(String), target.databaseUrl], { signal: target.signal });
    // Nobody relays these events, and what is left of a load would be a burden on the next.
    await target.pool.query('delete from event_outbox where partner_id = $1', [PARTNER]);
    const [, perSecond] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
    if (perSecond === undefined) throw new Error(`pgbench did not report what it did:\n${stdout}`);
    return Number(perSecond);
  };
}

/** What each client does over and over. The fingerprint is a constant: pgbench is not to pay for computing what the service computes outside the database. */
export async function writeScript(pool: pg.Pool): Promise<string> {
  const terms = { partner: `'${PARTNER}'`, token: newToken(), number: ':number::bigint' };
  const columns = await fitToTable(pool, 'contribution', {
    ...contributionColumns(terms),
    fingerprint: `'\\x${'5a'.repeat(32)}'::bytea`,
  });
  const names = Object.keys(columns).join(', ');
  const values = Object.values(columns).join(', ');
  // The clients take turns, so that new transaction ids stand at the end of their index as those of the service do.
  return `\\set round :round + 1
\\set number :round * ${CLIENTS_MAX} + :client_id
with inserted as (
  insert into contribution (${names}) values (${values}) returning partner_id, transaction_id, correlation_id, created_at
)
insert into event_outbox (partner_id, event_id, event_type, subject_id, correlation_id, occurred_at)
select partner_id, 'evt_' || substr(transaction_id, 5), 'impact.transaction.confirmed', transaction_id, correlation_id, created_at
from inserted;
`;
}
