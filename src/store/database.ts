/**
 * The only folder with SQL: files by table, one function per statement, and this file, the only access to the database; `query.ts` sends
 * queries and `transaction.ts` commits. Rules and decisions are elsewhere; an operation begins the transaction.
 */
import pg from 'pg';
import type { NamedKey } from '../domain/audit/named-key.ts';
import { type ContributionSeals, openContributionSeals } from '../domain/contributions/contribution-seal.ts';
import { CommittedEvents } from './announcements.ts';
import { UnfitDatabaseError } from './database-problem.ts';
import { type DatabaseSession, SessionOfPool } from './database-session.ts';
import { OneSchema } from './one-schema.ts';
import { HEAR_WORKERS, KEEP_COMMITS_DURABLE, startUpOf, withoutTransactionTimeout } from './session-settings.ts';

/** Accepts a statement. The caller decides about atomicity: on a pool each statement is its own transaction, on a client the caller's. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.ClientBase, 'query'>;

/** One connection, for callers that must use the same one. */
export type Connection = pg.PoolClient;

export interface Database {
  readonly pool: pg.Pool;
  /** The growing tables are distributed over several nodes by `partner_id`: found when the store was connected. */
  readonly isDistributed: boolean;
  /** The keys of audit entries: the first seals, all verify. */
  auditKeys(): readonly NamedKey[];
  /** The keys that seal and verify contributions, from the same source. */
  readonly contributionSeals: ContributionSeals;
  /** Notifies of what this process commits. */
  readonly committedEvents: CommittedEvents;
  /** Runs last in every transaction, with what its work returned, and commits or fails with it. */
  readonly beforeCommit?: (db: Queryable, result: unknown) => Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly databaseUrl: string;
  readonly poolSize?: number;
  /** Off when a transaction pooler is in front of the database: statements cannot be prepared by name there. */
  readonly preparesStatements?: boolean;
  /** Called for each broken connection; a request that used it gets an error of its own. */
  readonly onConnectionError?: (error: Error) => void;
  /** Called when the first audit entry or contribution is written; without keys none can be. */
  readonly auditKeys?: () => readonly NamedKey[];
  /** Further settings of each session, `name=value`. {@link LOSES_COMMITS} is for what can be made again. */
  readonly settings?: readonly string[];
  /** The notifier of another pool of the same database. */
  readonly committedEvents?: CommittedEvents;
  /** Shared with the other pools of the same database. */
  readonly oneSchema?: OneSchema;
}

/** Commits are answered before they are on disk. */
export const LOSES_COMMITS = 'synchronous_commit=off';

/** Longer than any statement needs and shorter than a request may take, so that no key stays blocked. */
const STATEMENT_TIMEOUT_MS = 4_500;
const CONNECT_TIMEOUT_MS = 3_000;
/** Longer than a person looks at a page: a new connection has every statement to prepare again. */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** A machine that went without a word is noticed some 15 s later, after ten questions of the system, before a statement waits for it. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/**
 * Every statement finds a few rows by an index, however many the table holds. It is planned once per connection, in a way that a plan
 * from an empty table stays right: planning each time costs several times the work itself. Citus must know the values before it plans, so
 * nothing is set there. `rowOf` in `query.ts` writes look-ups of one row, and `runAnew` changes rows of a list of keys: any other query
 * that names the partner may read all of its rows with a plan from a small table. A bitmap scan would collect all waiting rows before it
 * returns the first.
 */
const PLAN_ONCE = `array(select set_config(name, value, false)
  from (values ('plan_cache_mode', 'force_generic_plan'), ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'),
    ('enable_mergejoin', 'off'), ('enable_bitmapscan', 'off')) as setting (name, value)
  where not exists (select from pg_extension where extname = 'citus'))`;

const INT8_OID = 20;

const TIMESTAMPTZ_OID = 1184;

const SPACE_AT = '2026-11-20'.length;
const USUAL_MAX = '2026-11-20 19:29:00.123+00'.length;

/** A timestamp as a session with the time zone UTC writes it, `2026-11-20 19:29:00.123+00`, is almost in the form that Date reads. */
function readTimestamp(text: string): Date {
  const isUsual = text[SPACE_AT] === ' ' && text.endsWith('+00') && text.length <= USUAL_MAX;
  return isUsual ? new Date(`${text.slice(0, SPACE_AT)}T${text.slice(SPACE_AT + 1, -'+00'.length)}Z`) : parseTimestamp(text);
}
const parseTimestamp = pg.types.getTypeParser(TIMESTAMPTZ_OID);

/** The rows of one batch share their time, and most records contain it twice: it is parsed once. Nothing changes a Date. */
function rememberLast<Value>(parse: (text: string) => Value): (text: string) => Value {
  let last: { readonly text: string; readonly value: Value } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: parse(text) };
    return last.value;
  };
}

/** `int8` is a bigint, here and in the whole process. */
const TEXT_PARSERS: Record<number, (text: string) => unknown> = {
  [INT8_OID]: BigInt,
  [TIMESTAMPTZ_OID]: rememberLast(readTimestamp),
};
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : TEXT_PARSERS[oid]) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** Opens a pool. It connects with the first statement, so an unreachable database shows there, never here. */
export function openDatabase(options: DatabaseOptions): Database {
  const {
    databaseUrl,
    poolSize = 12,
    preparesStatements = true,
    onConnectionError = () => {},
    auditKeys = refuseAudit,
    settings = [],
    committedEvents = new CommittedEvents(),
    oneSchema = new OneSchema(),
  } = options;
  const startUp = startUpOf(databaseUrl, [`statement_timeout=${STATEMENT_TIMEOUT_MS}`, ...settings]);
  const own = preparesStatements
    ? [
        PLAN_ONCE,
        HEAR_WORKERS,
        withoutTransactionTimeout(false),
        ...(settings.includes(LOSES_COMMITS) ? [] : [KEEP_COMMITS_DURABLE]),
      ]
    : [];
  const pool = new ServicePool(preparesStatements, {
    connectionString: preparesStatements ? startUp.databaseUrl : databaseUrl,
    Client: SessionOfPool,
    // The pool waits for the promise before it gives the connection to anybody. Its `verify` would run when the connection is already a
    // caller's: to one that was told meanwhile that it waited too long, the pool gives the connection all the same, and nobody releases it.
    onConnect: (client) => {
      const session = client as DatabaseSession;
      session.heedWarnings();
      session.preparesStatements = preparesStatements;
      return makeFit(session, own, oneSchema);
    },
    max: poolSize,
    types,
    application_name: 'partner-impact',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    // Statements are pipelined: each is sent without waiting for the answer before it.
    pipeline: true,
    // A transaction pooler accepts no start-up options: there the role carries them (`alter role … set …`).
    ...(preparesStatements && { options: startUp.options }),
  });
  // The server may end before it has read that a connection is closed.
  const reportLoss = (error: Error) => {
    if (!pool.ending) onConnectionError(error);
  };
  pool.on('error', reportLoss);
  // The pool removes its own listener while a client is checked out; without this one a lost connection would end the process.
  pool.on('connect', (client) => client.on('error', reportLoss));
  const contributionSeals = openContributionSeals(auditKeys);
  return { pool, isDistributed: false, auditKeys, contributionSeals, committedEvents, close: () => pool.end() };
}

/**
 * For what one caller reads at once: on one connection the statements are pipelined, and those who write find the others free. On a pool
 * each statement would take a connection of its own.
 */
export async function onOneConnection<Result>(pool: pg.Pool, read: (db: Connection) => Promise<Result>): Promise<Result> {
  const connection = await pool.connect();
  try {
    const result = await read(connection);
    connection.release();
    return result;
  } catch (failure) {
    // Others of its statements may be under way.
    connection.release(true);
    throw failure;
  }
}

const SERVER = `pg_is_in_recovery() as "isStandby",
  (select relnamespace::regnamespace::text from pg_class where oid = to_regclass('contribution')) as "schema"`;

/**
 * A server in recovery may lack recent records, and a proxy may lead to one for a moment. Checked for each new connection: a server that
 * is demoted ends its sessions. A connection on which the settings cannot be made is refused, too, and one that finds other tables than the
 * others do. A pooler may drop the settings of the start unseen: `doctor` warns of that.
 *
 * @param settings Expressions that make settings of the session. Behind a transaction pooler it has none of its own.
 */
async function makeFit(session: DatabaseSession, settings: readonly string[], oneSchema: OneSchema): Promise<void> {
  const { rows } = await session.query(`select ${[SERVER, ...settings].join(', ')}`);
  const [{ isStandby, schema, synchronousCommit }] = rows;
  if (isStandby) throw new UnfitDatabaseError('standby', 'The server is in recovery: a standby, or not yet promoted.');
  oneSchema.admit(session, schema);
  session.commitLevel = synchronousCommit;
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
  return (db as Partial<ServicePool | DatabaseSession>).preparesStatements !== false;
}
