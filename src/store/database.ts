/**
 * Everything that knows SQL lives in this folder: files by table, one function per statement, and this file, the one way to the
 * database, on which `query.ts` sends and `transaction.ts` commits. Rules and decisions do not belong here; who begins a
 * transaction is an operation.
 */
import pg from 'pg';
import type { NamedKey } from '../domain/audit/named-key.ts';
import { type ContributionSeals, openContributionSeals } from '../domain/contributions/contribution-seal.ts';
import { CommittedEvents } from './announcements.ts';
import { Session } from './session.ts';

/** Whatever a statement can be sent on. The caller decides atomicity: a pool is a transaction per statement, a client its own. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.ClientBase, 'query'>;

/** A connection of its own, for who needs to know that it is the same one. */
export type Connection = pg.PoolClient;

export interface Database {
  readonly pool: pg.Pool;
  /** The growing tables are spread over several nodes by `partner_id`: as the store found them when it was connected. */
  readonly isDistributed: boolean;
  /** What audit entries are sealed with: the first seals, all are known. */
  auditKeys(): readonly NamedKey[];
  /** What contributions are sealed and checked with, under the same keys. */
  readonly contributionSeals: ContributionSeals;
  /** Tells of what this process commits. */
  readonly committedEvents: CommittedEvents;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly databaseUrl: string;
  readonly poolSize?: number;
  /** Off where a transaction pooler stands before the database: statements cannot be prepared by name there. */
  readonly preparesStatements?: boolean;
  /** Told of each connection that broke; the request that used it, if any, hears of it by itself. */
  readonly onConnectionError?: (error: Error) => void;
  /** Asked for when the first audit entry or contribution is written; without them none can be. */
  readonly auditKeys?: () => readonly NamedKey[];
  /** Of another pool of the same database, told of alike. */
  readonly committedEvents?: CommittedEvents;
}

/** Longer than any statement needs and shorter than a request may take, so that no key stays blocked. */
const STATEMENT_TIMEOUT_MS = 4_500;
const QUERY_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 3_000;

/** A session that lost its client must let go of its locks: within seconds, in a transaction or outside of one. */
const SESSION_SETTINGS = [
  'timezone=UTC',
  'client_connection_check_interval=1000',
  'idle_in_transaction_session_timeout=3000',
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=3',
  // No statement here takes long enough to be compiled for it, and a small table's plan may be thought of as costly.
  'jit=off',
  // On a distributed database a lock is waited for on another node, which has to know how long. Elsewhere it means nothing.
  'citus.propagate_set_commands=local',
];

/**
 * Every statement finds a few rows by an index, however many the table holds. Planned once per connection, and so that a plan made
 * while the table was empty is the right one for ever: planning anew costs several times the work itself. Citus has to know
 * the values before it plans, so that nothing is set there.
 *
 * One row of a key is looked up as `rowOf` in `query.ts` writes it, and rows of a list of keys are changed by `runAnew`: whatever else
 * names the partner may read its every row where the plan was made while there were few.
 * A bitmap would gather all that waits before the first row is given.
 */
const PLAN_ONCE = `select set_config(name, value, false)
  from (values ('plan_cache_mode', 'force_generic_plan'), ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'),
    ('enable_mergejoin', 'off'), ('enable_bitmapscan', 'off')) as setting (name, value)
  where not exists (select from pg_extension where extname = 'citus')`;

const INT8_OID = 20;

const TIMESTAMPTZ_OID = 1184;

/** `2026-11-20 19:29:00.123+00`, as every session writes it whose time zone is UTC, is all but a form that Date reads. */
function readTimestamp(text: string): Date {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)\+00$/.exec(text) ?? [];
  return day === undefined ? parseTimestamp(text) : new Date(`${day}T${time}Z`);
}
const parseTimestamp = pg.types.getTypeParser(TIMESTAMPTZ_OID);

/** The rows of one batch share their time, and most records carry the same one twice: it is read once. Nothing changes a Date. */
function rememberLast<Value>(parse: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: parse(text) };
    return last.value;
  };
}

/** `int8` is a bigint here and stays what it is in the rest of the process. */
const TEXT_PARSERS: Record<number, (text: string) => unknown> = {
  [INT8_OID]: BigInt,
  [TIMESTAMPTZ_OID]: rememberLast(readTimestamp),
};
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : TEXT_PARSERS[oid]) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** Opens a pool. Nothing is connected before the first statement, so an absent database shows there, never here. */
export function openDatabase(options: DatabaseOptions): Database {
  const {
    databaseUrl,
    poolSize = 12,
    preparesStatements = true,
    onConnectionError = () => {},
    auditKeys = refuseAudit,
    committedEvents = new CommittedEvents(),
  } = options;
  const pool = new ServicePool(preparesStatements, {
    connectionString: databaseUrl,
    Client: Session as new () => pg.Client,
    verify: refuseStandby,
    max: poolSize,
    types,
    application_name: 'partner-impact',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    // What is asked one after the other is sent without waiting for the answers between.
    pipeline: true,
    // A transaction pooler takes no start-up options: there the role carries them (`alter role … set …`).
    ...(preparesStatements && {
      options: SESSION_SETTINGS.map((setting) => `-c ${setting}`).join(' '),
      statement_timeout: STATEMENT_TIMEOUT_MS,
    }),
  });
  // The server may end before it has read that a connection is over.
  const reportLoss = (error: Error) => {
    if (!pool.ending) onConnectionError(error);
  };
  pool.on('error', reportLoss);
  // The pool's own listener leaves while a client is checked out; without this one a lost connection would end the process.
  pool.on('connect', (client) => {
    client.on('error', reportLoss);
    const session = client as unknown as Session;
    session.heedWarnings();
    session.preparesStatements = preparesStatements;
    // Whatever is asked of the connection comes after this; if it is lost, that is what fails.
    if (preparesStatements) client.query(PLAN_ONCE).catch(() => {});
  });
  const contributionSeals = openContributionSeals(auditKeys);
  return { pool, isDistributed: false, auditKeys, contributionSeals, committedEvents, close: () => pool.end() };
}

/**
 * A server in recovery may lack what is recorded elsewhere, and a proxy may lead to one for a moment. Asked of each new connection: a
 * server that is demoted ends its sessions.
 */
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  client
    .query('select pg_is_in_recovery() as "isStandby"')
    .then(
      ({ rows }) => done(rows[0].isStandby ? new Error('The server is in recovery: a standby, or not yet promoted.') : undefined),
      done,
    );
}

function refuseAudit(): never {
  throw new Error('This connection was opened without the keys of the audit, so it cannot write sealed records.');
}

class ServicePool extends pg.Pool {
  readonly preparesStatements: boolean;

  constructor(preparesStatements: boolean, options: pg.PoolConfig) {
    super(options);
    this.preparesStatements = preparesStatements;
  }
}

/** Whether a statement can be prepared there under its name. */
export function canPrepare(db: Queryable): boolean {
  return (db as Partial<ServicePool | Session>).preparesStatements !== false;
}
