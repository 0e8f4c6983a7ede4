/** The settings of each session of the service: they replace those of the server, the database, the role and the URL. */

const SESSION_SETTINGS = [
  'timezone=UTC',
  // A session that lost its client must release its locks: within seconds, in a transaction or outside of one.
  'client_connection_check_interval=1000',
  'idle_in_transaction_session_timeout=3000',
  // The pools end their sessions themselves: one that the server ended would be met as a failure by the next who takes it.
  'idle_session_timeout=0',
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
  // No statement takes long enough to be worth compiling, and the planner may overestimate the plan of a small table.
  'jit=off',
  // On a distributed database the node that holds the lock must know the time-out. Elsewhere this has no effect.
  'citus.propagate_set_commands=local',
  // Of a statement of all partners, a node reads one part of a table after the other for the first second. Citus would open a further
  // connection after 10 ms, and to start and end it costs the node more than most statements of the service.
  'citus.executor_slow_start_interval=1000',
  // A node that cannot be reached fails a statement before the time limit of the statement does.
  'citus.node_connection_timeout=2000',
  // Only a warning tells that the wait of a commit for the standby was aborted.
  'client_min_messages=notice',
  // Rows that a policy of a table hides from the role would be rows that nobody recorded. The server refuses the statement instead.
  'row_security=off',
  // The forms in which the driver and the statements read and write values.
  'datestyle=ISO',
  'array_nulls=on',
  // A statement that waited for another transaction must see what that one has committed.
  'default_transaction_isolation=read\\ committed',
];

export interface StartUp {
  readonly databaseUrl: string;
  /** Options of the start of a session: `-c name=value …`. */
  readonly options: string;
}

/** Members of a URL that the driver alone knows. It sends them beside the options of the start, and they count more. */
const TIMES_OF_THE_DRIVER = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'query_timeout'];

/**
 * Takes the options of a session out of the URL, and puts the service's own behind them: of two settings of one name the last counts.
 *
 * @param databaseUrl May have `options=-c name=value …`, as for every client of PostgreSQL. The times that only
 * the driver knows, such as `statement_timeout=…`, are left out.
 * @param more Further settings, `name=value`.
 */
export function startUpOf(databaseUrl: string, more: readonly string[]): StartUp {
  const [address = '', query] = databaseUrl.split(/\?(.*)/s, 2);
  const members = new URLSearchParams(query);
  const own = [...SESSION_SETTINGS, ...more].map((setting) => `-c ${setting}`).join(' ');
  const options = [...members.getAll('options'), own].join(' ');
  for (const name of ['options', ...TIMES_OF_THE_DRIVER]) members.delete(name);
  return { databaseUrl: members.size === 0 ? address : `${address}?${members}`, options };
}

const LEVEL = "current_setting('synchronous_commit')";

/**
 * SQL that makes the commits of a session durable until its end: the session's own setting counts, however that of the server, the
 * database or the role is changed. It is no option of the start, so that `readServerSettings` still finds what those three have set.
 * A commit of a worker of a cluster is one of another session, which hears only of what is set for a transaction.
 */
export const KEEP_COMMITS_DURABLE = `set_config('synchronous_commit',
    case when ${LEVEL} in ('off', 'local') then 'on' else ${LEVEL} end, false) as "synchronousCommit"`;

/**
 * SQL that lets a session of the coordinator of a cluster hear what a worker warns of while it commits, such as the aborted wait for the
 * worker's standby. Citus passes that on as a debug message with the code of the warning. What it cannot read the level of, because the worker
 * speaks another language, it takes for a debug message of the worker, and passes on only where these are wanted.
 */
export const HEAR_WORKERS = `array(select set_config(name, 'debug1', false)
  from unnest(array['client_min_messages', 'citus.worker_min_messages']) name
  where exists (select from pg_extension where extname = 'citus') and current_setting(name, true) is not null)`;

/**
 * SQL that lets transactions take as long as they need, for closings and migrations, whatever the server, the database or the role sets.
 * It is no option of the start: PostgreSQL has the setting since version 17, and refuses a session with one that it does not know.
 *
 * @param isLocal Until the transaction ends, and otherwise until the session does.
 */
export function withoutTransactionTimeout(isLocal: boolean): string {
  return `case when current_setting('transaction_timeout', true) is not null
    then set_config('transaction_timeout', '0', ${isLocal}) end`;
}
