/** What each session of the service is set to, whatever the server, the database, the role and the URL say. */

/** A session that lost its client must release its locks: within seconds, in a transaction or outside of one. */
const SESSION_SETTINGS = [
  'timezone=UTC',
  'client_connection_check_interval=1000',
  'idle_in_transaction_session_timeout=3000',
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
  // No statement takes long enough to be worth compiling, and the planner may overestimate the plan of a small table.
  'jit=off',
  // On a distributed database the node that holds the lock must know the time-out. Elsewhere this has no effect.
  'citus.propagate_set_commands=local',
  // An aborted wait for the standby is known by a warning alone.
  'client_min_messages=notice',
  // The forms in which values are read and written, and what a statement sees that waited for another.
  'datestyle=ISO',
  'array_nulls=on',
  'default_transaction_isolation=read\\ committed',
];

export interface StartUp {
  readonly databaseUrl: string;
  /** Options of the start of a session: `-c name=value …`. */
  readonly options: string;
}

/**
 * The URL without the options of a session, and these options with the service's own behind them, which so have the last word.
 *
 * @param databaseUrl May have `options=-c name=value …`, as every client of PostgreSQL understands it, and `statement_timeout=…`, as the
 * driver does.
 * @param more Further settings, `name=value`.
 */
export function startUpOf(databaseUrl: string, more: readonly string[]): StartUp {
  const [address = '', query] = databaseUrl.split(/\?(.*)/s, 2);
  const members = new URLSearchParams(query);
  const own = [...SESSION_SETTINGS, ...more].map((setting) => `-c ${setting}`).join(' ');
  const options = [...members.getAll('options'), own].join(' ');
  members.delete('options');
  members.delete('statement_timeout');
  return { databaseUrl: members.size === 0 ? address : `${address}?${members}`, options };
}

const LEVEL = "current_setting('synchronous_commit')";

/**
 * Commits stay as durable as they are now, when the setting of the server, the database or the role is changed: a setting of the session
 * goes before it. It is not among the options of the start, so that `readServerSettings` still finds what it would be without this.
 */
export const KEEP_COMMITS_DURABLE = `set_config('synchronous_commit',
    case when ${LEVEL} in ('off', 'local') then 'on' else ${LEVEL} end, false)`;
