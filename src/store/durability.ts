import type pg from 'pg';
import type { Database, Queryable } from './database.ts';
import { problemOf, UnfitDatabaseError } from './database-problem.ts';
import { run } from './query.ts';

const OLDEST_SERVER_VERSION = 15;

export interface ServerSettings {
  /** PostgreSQL's major version. */
  readonly version: number;
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** As the server, the database or the role sets it, whatever the session has set for itself. */
  readonly synchronousCommit: string;
  /** Names of the standbys that a commit waits for; empty when there are none. */
  readonly synchronousStandbyNames: string;
  /** Servers that follow this one, synchronously or not; a standby of a backup counts too. */
  readonly standbys: number;
  /** The least level of messages that the session gets. */
  readonly clientMinMessages: string;
  readonly encoding: string;
  readonly statementTimeout: string;
  readonly idleInTransactionTimeout: string;
  /** `off` lets the server refuse a statement whose rows a policy would filter. */
  readonly rowSecurity: string;
}

const SETTINGS = `select current_setting('server_version_num')::int4 / 10000 as "version", current_setting('fsync') as "fsync",
      current_setting('full_page_writes') as "fullPageWrites", (select reset_val from pg_settings where name = 'synchronous_commit') as "synchronousCommit",
      current_setting('client_min_messages') as "clientMinMessages", current_setting('server_encoding') as "encoding",
      current_setting('synchronous_standby_names') as "synchronousStandbyNames",
      (select count(*)::int4 from pg_stat_replication where coalesce(application_name, '') not in ('pg_basebackup', 'pg_receivewal')) as "standbys",
      current_setting('statement_timeout') as "statementTimeout",
      current_setting('idle_in_transaction_session_timeout') as "idleInTransactionTimeout",
      current_setting('row_security') as "rowSecurity"`;

export async function readServerSettings(db: Queryable): Promise<ServerSettings> {
  const { rows } = await (db as { query(text: string): Promise<{ rows: ServerSettings[] }> }).query(SETTINGS);
  return rows[0] as ServerSettings;
}

/** A server that holds rows of a distributed database. */
export interface Worker {
  /** Its host and port, as the coordinator names it. */
  readonly node: string;
  /** `undefined` when it does not answer. */
  readonly settings: ServerSettings | undefined;
}

/** The coordinator warns of a worker that it does not reach, which would fail the statement; its row says the same. */
const ASK_WORKERS = `select set_config('client_min_messages', 'error', true);
  select nodename || ':' || nodeport as node, success, result
  from run_command_on_workers($command$select row_to_json(s) from (${SETTINGS}) s$command$)`;

/** Reads the same of each worker, in a new session of the same role: Citus connects anew for each such question. */
export async function readWorkerSettings({ pool }: Pick<Database, 'pool'>): Promise<Worker[]> {
  const results = (await pool.query(ASK_WORKERS)) as unknown as pg.QueryResult<{
    node: string;
    success: boolean;
    result: string;
  }>[];
  const rows = results.flatMap((each) => each.rows).slice(1);
  return rows.map(({ node, success, result }) => ({ node, settings: success ? JSON.parse(result) : undefined }));
}

/** With `local` a commit is on this machine's disk before it is answered, which is all that one machine can promise. */
const DURABLE_COMMITS = ['on', 'local', 'remote_write', 'remote_apply'];

/** Why contributions would not be safe on this server: a sentence each, with what to do. Empty when they are safe. */
export function listDurabilityProblems(settings: ServerSettings): string[] {
  const problems: string[] = [];
  if (settings.version < OLDEST_SERVER_VERSION) {
    problems.push(`PostgreSQL ${settings.version} is too old: ${OLDEST_SERVER_VERSION} or later is needed.`);
  }
  if (settings.fsync !== 'on') problems.push('fsync is off: a power cut would lose contributions. Set fsync = on.');
  if (settings.fullPageWrites !== 'on') {
    problems.push('full_page_writes is off: a power cut could damage the data. Set full_page_writes = on.');
  }
  if (!DURABLE_COMMITS.includes(settings.synchronousCommit)) {
    problems.push('synchronous_commit is off: a crash would lose acknowledged contributions. Set synchronous_commit = on.');
  }
  if (settings.synchronousStandbyNames !== '' && settings.synchronousCommit === 'local') {
    problems.push('synchronous_commit is local although standbys are named: a failover would lose contributions. Set it to on.');
  }
  if (settings.clientMinMessages === 'error') {
    problems.push('client_min_messages is error: an aborted wait for a standby would look like a commit. Set it to notice.');
  }
  return problems;
}

/** The same of the servers that hold the rows; one that does not answer is not judged. */
export function listWorkerProblems(workers: readonly Worker[]): string[] {
  return workers.flatMap(({ node, settings }) =>
    settings ? listDurabilityProblems(settings).map((problem) => `Worker ${node}: ${problem}`) : [],
  );
}

/**
 * At a commit Citus passes on as a debug message what a worker warns of.
 *
 * @param session Of the coordinator.
 * @returns Why its session would not hear of it, with what to do; empty when it would.
 */
export function listUnheardWorkers({ clientMinMessages }: ServerSettings): string[] {
  if (clientMinMessages.startsWith('debug')) return [];
  const message = `client_min_messages is ${clientMinMessages} on the coordinator: an aborted wait for the standby of a worker would look like a commit. Set it to debug1 for the role.`;
  return [message];
}

/** What the coordinator connects to the workers with, as `name=value …`; `undefined` where the role may not see it. */
export async function readWorkerConnectionOptions({ pool }: Pick<Database, 'pool'>): Promise<string | undefined> {
  const { rows } = await pool.query<{ setting: string }>("select setting from pg_settings where name = 'citus.node_conninfo'");
  return rows[0]?.setting;
}

const HIDDEN_OPTIONS =
  'this role may not see citus.node_conninfo, so doctor cannot say whether tcp_user_timeout is in it; without it sessions that wait for a worker whose machine is gone hold their locks for minutes. As a superuser of the coordinator: show citus.node_conninfo. With grant pg_read_all_settings to … the role sees it';

/**
 * What holds locks for long when the coordinator and a worker lose each other, or may: a sentence each, with what to do. Citus waits without a
 * limit of its own until the system takes a connection for lost, and heeds no end of its session meanwhile.
 */
export function listMissingTimeouts(workers: readonly Worker[], connectionOptions: string | undefined): string[] {
  const missing = workers
    .filter(({ settings }) => settings?.idleInTransactionTimeout === '0')
    .map(
      ({ node }) =>
        `Worker ${node}: idle_in_transaction_session_timeout is not in effect, so a session that lost the coordinator can block a contribution: alter role … set idle_in_transaction_session_timeout = '3s' there`,
    );
  if (connectionOptions === undefined) return [...missing, HIDDEN_OPTIONS];
  if (connectionOptions.includes('tcp_user_timeout=')) return missing;
  const wanted = `${connectionOptions} tcp_user_timeout=5000`.trim();
  return [
    ...missing,
    `citus.node_conninfo has no tcp_user_timeout, so sessions that wait for a worker whose machine is gone hold their locks for minutes, and the coordinator does not take its standby before: alter system set citus.node_conninfo = '${wanted}', then select pg_reload_conf()`,
  ];
}

const CHECK_WRITABLE = {
  name: 'check_writable',
  text: `select pg_logical_emit_message(true, 'partner-impact', 'ready'), current_setting('transaction_read_only') as "readOnly",
    clock_timestamp() as "now", array(
      select name || '=' || current_setting(name) from unnest(array['fsync', 'full_page_writes', 'synchronous_commit']) name
      where current_setting(name) = 'off'
    ) as lossy, (
      select row_to_json(oldest) from (
        select datname as name, greatest(age(datfrozenxid), mxid_age(datminmxid)) as age from pg_database order by age desc limit 1
      ) oldest
    ) as oldest`,
};

export interface WritableServer {
  /** The time by the server's clock. */
  readonly now: Date;
  /** The database of the server with the oldest transaction id or multixact id that is in use, and how many were assigned since. */
  readonly oldest: { readonly name: string; readonly age: number };
}

/**
 * Checks that the server can commit: commits a message that leaves no trace, as durably as a contribution.
 *
 * @throws Error Also on a read-only server, where new transactions are read-only by a setting, and where a setting that was changed since
 * the start lets a crash lose commits.
 */
export async function checkWritable(db: Queryable): Promise<WritableServer> {
  const [row] = await run<WritableServer & { readOnly: string; lossy: string[] }>(db, CHECK_WRITABLE, []);
  if (!row) throw new Error('The database answered without a row.');
  if (row.readOnly === 'on')
    throw new UnfitDatabaseError(
      'read_only',
      'the database is read-only: default_transaction_read_only is on for the server, the database or the role',
    );
  if (row.lossy.length > 0)
    throw new UnfitDatabaseError(
      'not_durable',
      `a crash would lose contributions: the database has ${row.lossy.join(', ')}, which must be on`,
    );
  return row;
}

/** Half a mebibyte, more than the memory that it may take, so that the server writes it into a file and removes it. */
const WRITE_A_FILE = `set local work_mem = '64kB';
  with filler as materialized (select repeat('x', 8192) from generate_series(1, 64)) select count(*) from filler`;

/** Whether the disk of the server has room. A commit alone does not tell: it may fit into what is there already. */
export async function hasRoom(db: Queryable): Promise<boolean> {
  return (db as { query(text: string): Promise<unknown> }).query(WRITE_A_FILE).then(
    () => true,
    (error: unknown) => problemOf(error)?.reason !== 'disk_full',
  );
}
