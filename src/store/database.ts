/**
 * Everything that knows SQL lives in this folder: one file per table, one function per statement, and this file, the one
 * way to the database. Rules and decisions do not belong here; who begins a transaction is an operation.
 */
import pg from 'pg';
import type { NamedKey } from '../domain/named-key.ts';
import { ServiceError } from '../domain/service-error.ts';

/** Whatever a statement can be sent on. The caller decides atomicity: a pool is a transaction per statement, a client its own. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.ClientBase, 'query'>;

export interface Database {
  readonly pool: pg.Pool;
  /** The growing tables are spread over several nodes by `partner_id`. Known once the store is connected. */
  isDistributed: boolean;
  /** A commit waits for another server, so that what was only read may not have reached it. Known once the store is connected. */
  hasSynchronousStandbys: boolean;
  /** What audit entries are sealed with: the first seals, all are known. */
  auditKeys(): readonly NamedKey[];
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly databaseUrl: string;
  readonly poolSize?: number;
  /** Off where a transaction pooler stands before the database: statements cannot be prepared by name there. */
  readonly preparesStatements?: boolean;
  /** Told of each connection that broke; the request that used it, if any, hears of it by itself. */
  readonly onConnectionError?: (error: Error) => void;
  /** Asked for when the first audit entry is written; without them none can be. */
  readonly auditKeys?: () => readonly NamedKey[];
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
  // On a distributed database a lock is waited for on another node, which has to know how long. Elsewhere it means nothing.
  'citus.propagate_set_commands=local',
];

/**
 * Every statement finds a few rows by an index, however many the table holds. Planned once per connection, and so that a plan made
 * while the table was empty is the right one for ever: planning anew costs several times the work itself. Citus has to know
 * the values before it plans, so that nothing is set there.
 *
 * Rows that another part of a statement chose are found by `= any (array(select …))`, which leaves the index of their key as the one way.
 * A bitmap would gather all that waits before the first row is given.
 * Joined with a list, or by `in (select …)`, all rows of the partner are read where the plan was made while there were few.
 */
const PLAN_ONCE = `select set_config(name, value, false)
  from (values ('plan_cache_mode', 'force_generic_plan'), ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'),
    ('enable_mergejoin', 'off'), ('enable_bitmapscan', 'off')) as setting (name, value)
  where not exists (select from pg_extension where extname = 'citus')`;

/**
 * Ends a subquery of `exists`, so that it is looked up for one row after the other and stops at the first that it finds; joined, it would
 * read all that waits. A distributed database knows no such look-up, and counts anew how it joins.
 */
export const ONE_BY_ONE = 'offset 0';

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
  } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
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
  const tellLoss = (error: Error) => {
    if (!pool.ending) onConnectionError(error);
  };
  pool.on('error', tellLoss);
  // The pool's own listener leaves while a client is checked out; without this one a lost connection would end the process.
  pool.on('connect', (client) => {
    client.on('error', tellLoss);
    if (!preparesStatements) unprepared.add(client);
    // Whatever is asked of the connection comes after this; if it is lost, that is what fails.
    else client.query(PLAN_ONCE).catch(() => {});
  });
  if (!preparesStatements) unprepared.add(pool);
  return { pool, isDistributed: false, hasSynchronousStandbys: false, auditKeys, close: () => pool.end() };
}

function refuseAudit(): never {
  throw new Error(
    'This connection was opened without the keys of the audit, so that nothing that is audited can be changed by it.',
  );
}

/** The pools behind a transaction pooler, and their connections. */
const unprepared = new WeakSet<Queryable>();

/** A statement of the hot path: prepared once per connection under its name, where that is possible. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export async function run<Row extends pg.QueryResultRow>(
  db: Queryable,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await (db as pg.Pool).query<Row>(unprepared.has(db) ? { text, values } : { name, text, values });
  return rows;
}

/** How long statements of a transaction may take that close over a partner's month at once. */
export interface LongStatements {
  readonly timeoutMs: number;
}

/** Holds until the transaction ends. Such work is sorted and hashed in more memory than a request may have. */
export async function allowLongStatements(db: Queryable, { timeoutMs }: LongStatements): Promise<void> {
  const text = `set local statement_timeout = ${Math.trunc(timeoutMs)}; set local work_mem = '64MB'`;
  await (db as pg.Pool).query(text);
}

/** Like {@link run}, for a statement of such a transaction. It is planned anew each time, for what it meets. */
export async function runLong<Row extends pg.QueryResultRow>(
  db: Queryable,
  { text }: Statement,
  values: unknown[],
  { timeoutMs }: LongStatements,
): Promise<Row[]> {
  const query = { text, values, query_timeout: timeoutMs };
  const { rows } = await (db as pg.Pool).query<Row>(query as pg.QueryConfig);
  return rows;
}

/** A statement that finds rows for a list of wanted ones, of any partners, and the same for those of one partner. */
export interface FindStatement {
  readonly ofAny: Statement;
  /** Its last parameter is the partner: a distributed database then asks that partner's node alone. */
  readonly ofOne: Statement;
}

/**
 * @param write Writes the text, given a condition to add to it: none, or one on the partner of the table that is searched.
 * @param table What the statement calls that table.
 * @param parameters How many parameters it has without the partner.
 */
export function findStatement(
  name: string,
  { table, parameters }: { table: string; parameters: number },
  write: (condition: string) => string,
): FindStatement {
  return {
    ofAny: { name, text: write('') },
    ofOne: { name: `${name}_of_one`, text: write(` and ${table}.partner_id = $${parameters + 1}`) },
  };
}

export async function runFind<Row extends pg.QueryResultRow>(
  db: Queryable,
  { ofAny, ofOne }: FindStatement,
  wanted: readonly { readonly partnerId: string }[],
  values: unknown[],
): Promise<Row[]> {
  const partnerId = wanted[0]?.partnerId;
  const isOfOne = wanted.every((each) => each.partnerId === partnerId);
  return isOfOne ? run<Row>(db, ofOne, [...values, partnerId]) : run<Row>(db, ofAny, values);
}

/** The COMMIT was sent and not answered: the transaction took effect, or it did not. Only a look at the database tells. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

export interface TransactionOptions {
  /** How long a statement may wait for a row that another transaction holds. */
  readonly lockTimeoutMs: number;
}

export interface Transaction {
  /** `performance.now()` just before it began: never later than the database's `now()`. */
  readonly begunAtMs: number;
  /** Runs the last statement: the COMMIT follows it at once, on the same trip to the server. */
  lastly<Result>(statement: () => Promise<Result>): Promise<Result>;
}

/**
 * Runs `work` in one READ COMMITTED transaction on a connection of its own. The BEGIN travels with its first statement, and the
 * COMMIT with the one that it hands to `lastly`, if any; the server takes them one after the other.
 *
 * @throws CommitUnknownError When the COMMIT was sent and its answer did not come, or did not vouch for a durable commit.
 * @throws Whatever `work` throws; then nothing was stored.
 */
export async function inTransaction<T>(
  database: Database,
  { lockTimeoutMs }: TransactionOptions,
  work: (db: pg.PoolClient, transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = await database.pool.connect();
  databases.set(client, database);
  let commit: Promise<Ending> | undefined;
  const transaction: Transaction = {
    begunAtMs: performance.now(),
    lastly(statement) {
      const result = statement();
      commit = sendCommit(client);
      return result;
    },
  };
  const begin = client.query(`begin; set local lock_timeout = ${Math.trunc(lockTimeoutMs)}`);
  const [begun, done] = await Promise.allSettled([begin, work(client, transaction)]);
  // Without its BEGIN a statement is a transaction of its own.
  if (begun.status === 'rejected') return endInDoubt(client, begun.reason);
  if (done.status === 'rejected') return endFailed(client, done.reason, await commit);
  const ending = await (commit ?? sendCommit(client));
  if (ending.is !== 'durable') return endInDoubt(client, ending.cause);
  client.release();
  return done.value;
}

/** Whose connection it is, of each that a transaction has had. */
const databases = new WeakMap<Queryable, Database>();

/** @throws Error For a pool, or whatever else no transaction was begun on. */
export function databaseOf(transaction: Queryable): Database {
  const database = databases.get(transaction);
  if (!database) throw new Error('This is no transaction of inTransaction().');
  return database;
}

/** Nothing was stored, unless a COMMIT went along and took effect all the same. */
async function endFailed(client: pg.PoolClient, error: unknown, ending: Ending | undefined): Promise<never> {
  if (ending && ending.is !== 'rolled back') return endInDoubt(client, error);
  if (ending) client.release();
  else await abandon(client, error);
  throw error;
}

function endInDoubt(client: pg.PoolClient, cause: unknown): never {
  client.release(true);
  throw new CommitUnknownError('The outcome of the COMMIT is unknown.', { cause });
}

/** Where the connection itself is in doubt (a time-out, a broken socket), a ROLLBACK would wait behind what hangs. */
async function abandon(client: pg.PoolClient, error: unknown): Promise<void> {
  if (!(error instanceof pg.DatabaseError || error instanceof ServiceError)) return client.release(true);
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

/** What a COMMIT came to. PostgreSQL answers that of a failed transaction with the word ROLLBACK, and no error. */
type Ending = { readonly is: 'durable' | 'rolled back' | 'in doubt'; readonly cause?: unknown };

/** PostgreSQL says so when an operator cut short the wait for the standby: the commit is then on one machine only. */
const UNREPLICATED_NOTICE = /canceling(?: the)? wait for synchronous replication/;

async function sendCommit(client: pg.PoolClient): Promise<Ending> {
  let isReplicated = true;
  const onNotice = ({ message }: { message?: string | undefined }) => {
    if (message !== undefined && UNREPLICATED_NOTICE.test(message)) isReplicated = false;
  };
  client.on('notice', onNotice);
  try {
    const { command } = await client.query('commit');
    if (command === 'ROLLBACK') return { is: 'rolled back', cause: new Error('The COMMIT was answered with ROLLBACK.') };
    if (command !== 'COMMIT') throw new Error(`The COMMIT was answered with ${command}.`);
    if (!isReplicated) throw new Error('The commit is not known to have reached the synchronous standby.');
    return { is: 'durable' };
  } catch (cause) {
    return { is: 'in doubt', cause };
  } finally {
    client.off('notice', onNotice);
  }
}
