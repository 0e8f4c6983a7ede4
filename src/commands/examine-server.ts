import { nextStepOf } from '../service/database-problem-words.ts';
import type { Store } from '../service/open-database.ts';
import { problemOf } from '../store/database-problem.ts';
import {
  checkWritable,
  listDurabilityProblems,
  listMissingTimeouts,
  listUnheardWorkers,
  listWorkerProblems,
  readServerSettings,
  readWorkerConnectionOptions,
  readWorkerSettings,
  type ServerSettings,
  type Worker,
} from '../store/durability.ts';
import { listDistributedTables } from '../store/schema/distribute.ts';
import { describeHiddenTables } from '../store/schema/hidden-tables.ts';
import type { MigrationState } from '../store/schema/migrate.ts';
import { findMissingRights } from '../store/schema/missing-rights.ts';
import { describeLackingKey, listLackingKeys } from '../store/schema/unique-keys.ts';

type Verdict = 'ok' | 'warning' | 'problem';

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  /** A finding, and what to do about it. */
  readonly message: string;
}

/** Whether the server keeps what is committed, takes a commit now, and ends the session of a lost client. */
export async function examineServer({ database }: Store): Promise<Finding[]> {
  const settings = await readServerSettings(database.pool);
  const problems = listDurabilityProblems(settings);
  const findings: Finding[] = problems.map((message) => ({ check: 'durability', verdict: 'problem', message }));
  if (problems.length === 0)
    findings.push({ check: 'durability', verdict: 'ok', message: `PostgreSQL ${settings.version}, every commit is durable` });
  const blocked = await checkWritable(database.pool).catch((error: Error) => error);
  if (blocked instanceof Error)
    findings.push({ check: 'writing', verdict: 'problem', message: explainBlocked(blocked, settings) });
  if (settings.synchronousStandbyNames === '' && settings.standbys > 0) {
    const message =
      'a standby follows asynchronously: an automatic failover to it would lose answered contributions. Name it in synchronous_standby_names (Patroni: synchronous_mode)';
    findings.push({ check: 'standby', verdict: 'warning', message });
  }
  for (const [name, value, wanted] of [
    ['statement_timeout', settings.statementTimeout, '4500ms'],
    ['idle_in_transaction_session_timeout', settings.idleInTransactionTimeout, '3s'],
  ]) {
    const message = `${name} is not in effect in this session, so a lost client can block a contribution: alter role … set ${name} = '${wanted}'`;
    if (value === '0') findings.push({ check: 'time-outs', verdict: 'warning', message });
  }
  if (settings.rowSecurity === 'on') {
    const message =
      'row_security is on in this session: were row-level security switched on for a table, stored records would not be found, without an error. alter role … set row_security = off';
    findings.push({ check: 'rights', verdict: 'warning', message });
  }
  return findings;
}

function explainBlocked(error: Error, { synchronousStandbyNames: names, standbys }: ServerSettings): string {
  const reason = problemOf(error)?.reason ?? 'other';
  if (names === '' || reason !== 'no_answer') return `${error.message}. ${nextStepOf(reason)}`;
  return `no commit was answered in time. Commits wait for synchronous_standby_names = '${names}'; servers that follow: ${standbys}. Start the standby; where none is missing, look at the disk of the WAL (wait_event of pg_stat_activity is SyncRep while commits wait for a standby)`;
}

const TABLES_NAMED_MAX = 5;

/** After a restore, row-level security, or a migration by a role that grants nothing to the one of the service. */
export async function examineRights({ database }: Store): Promise<Finding[]> {
  const { role, tables, tablesWithPolicies } = await findMissingRights(database.pool);
  const messages: string[] = [];
  if (tables.length > 0)
    messages.push(
      `the role ${role} lacks rights on ${nameTables(tables)}: grant it select, insert, update and delete, as the owner of the tables`,
    );
  if (tablesWithPolicies.length > 0)
    messages.push(
      `row-level security hides rows of ${nameTables(tablesWithPolicies)} from the role ${role}: as the owner of the tables, alter table … disable row level security`,
    );
  return messages.map((message) => ({ check: 'rights', verdict: 'problem', message }));
}

/** As after a change of `search_path`, which would look like a database without tables. */
export async function examinePlace({ database }: Store): Promise<Finding[]> {
  const message = await describeHiddenTables(database.pool);
  return message === undefined ? [] : [{ check: 'tables', verdict: 'problem', message }];
}

/** As after a restore with errors, or where somebody dropped an index to build it again. */
export async function examineUniqueKeys({ database }: Store, { unknown }: MigrationState): Promise<Finding[]> {
  // A newer release may have other keys.
  const lacking = unknown.length > 0 ? [] : await listLackingKeys(database.pool);
  return lacking.map((key) => ({ check: 'tables', verdict: 'problem', message: describeLackingKey(key) }));
}

function nameTables(tables: readonly string[]): string {
  const more = tables.length > TABLES_NAMED_MAX ? ` and ${tables.length - TABLES_NAMED_MAX} more tables` : '';
  return `${tables.slice(0, TABLES_NAMED_MAX).join(', ')}${more}`;
}

/** Of a distributed database, the servers that hold the rows. */
export async function examineWorkers({ database }: Store): Promise<Finding[]> {
  if ((await listDistributedTables(database)).length === 0) return [];
  try {
    const workers = await readWorkerSettings(database);
    const missing = listMissingTimeouts(workers, await readWorkerConnectionOptions(database));
    return [
      ...judgeWorkers(workers, await readServerSettings(database.pool)),
      ...missing.map((message): Finding => ({ check: 'time-outs', verdict: 'warning', message })),
    ];
  } catch (error) {
    return [{ check: 'workers', verdict: 'problem', message: `the coordinator cannot ask them: ${(error as Error).message}` }];
  }
}

function judgeWorkers(workers: readonly Worker[], session: ServerSettings): Finding[] {
  const check = 'workers';
  const silent = workers.filter(({ settings }) => settings === undefined);
  const problems = [
    ...listWorkerProblems(workers),
    ...listUnheardWorkers(session),
    ...silent.map(({ node }) => `${node} does not answer the coordinator: partners whose rows are there get 503`),
  ];
  if (problems.length > 0) return problems.map((message) => ({ check, verdict: 'problem', message }));
  return [{ check, verdict: 'ok', message: `${workers.length} workers answer, every commit is durable` }];
}

const CLOCK_TOLERANCE_MS = 2_000;

/** Records carry the database's time, webhooks and certificates the time of this machine. Partners accept a difference of five minutes. */
export async function examineClock({ database }: Store): Promise<Finding> {
  const sentAt = Date.now();
  const { rows } = await database.pool.query<{ now: Date }>('select clock_timestamp() as now');
  const offsetMs = Math.round((rows[0]?.now.getTime() ?? 0) - (sentAt + Date.now()) / 2);
  const isNear = Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS;
  const message = `the database's clock is ${offsetMs} ms from this machine's${isNear ? '' : ': synchronise both (NTP)'}`;
  return { check: 'clock', verdict: isNear ? 'ok' : 'problem', message };
}
