import pg from 'pg';
import { ServiceError } from '../domain/service-error.ts';
import type { Database, Queryable } from './database.ts';
import { isCanceled } from './database-errors.ts';
import { isOfReadOnlySession } from './database-problem.ts';
import type { DatabaseSession } from './database-session.ts';

/** The COMMIT was sent and not answered. Only a query can find out whether the transaction took effect. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';
}

/** The work ends its own transaction, after every statement of it was answered: the connection is used again. */
export class GivenUpError extends Error {
  override readonly name: string = 'GivenUpError';
}

export interface TransactionOptions {
  /** How long a statement may wait for a row that another transaction holds. */
  readonly lockTimeoutMs: number;
}

/** For a change that is not batched. Shorter than the time-out of its queries, so that the error names the lock. */
export const USUAL_LOCK_TIMEOUT: TransactionOptions = { lockTimeoutMs: 4_000 };

export interface Transaction {
  /** `performance.now()` just before the transaction began: never later than the database's `now()`. */
  readonly begunAtMs: number;
  /** Runs the last statement. The COMMIT is sent with it, so that both take one round trip. */
  finalStatement<Result>(statement: () => Promise<Result>): Promise<Result>;
}

/**
 * Runs `work` in one READ COMMITTED transaction on a connection of its own. The BEGIN is sent with its first statement, and the COMMIT
 * with the statement given to `finalStatement`, if any; the server executes them one after the other.
 *
 * `beforeCommit` of the database runs after the work, in the same transaction.
 *
 * @throws CommitUnknownError When the COMMIT was sent and its answer did not come, or did not confirm a durable commit.
 * @throws Whatever `work` throws; then nothing was stored.
 */
export async function inTransaction<T>(
  database: Database,
  { lockTimeoutMs }: TransactionOptions,
  work: (db: pg.PoolClient, transaction: Transaction) => Promise<T>,
): Promise<T> {
  const client = (await database.pool.connect()) as pg.PoolClient & DatabaseSession;
  client.transactionOf = database;
  client.hasEvents = false;
  let commit: Promise<Ending> | undefined;
  const transaction: Transaction = {
    begunAtMs: performance.now(),
    finalStatement(statement) {
      if (database.beforeCommit) throw new Error('Nothing can come after a final statement.');
      const result = statement();
      commit = sendCommit(client);
      return result;
    },
  };
  const begin = beginTransaction(client, settingOf({ lockTimeoutMs }));
  // Work may throw before it returns a promise: also then the connection is released.
  const whole = (async () => {
    const result = await work(client, transaction);
    await database.beforeCommit?.(client, result);
    return result;
  })();
  const [begun, done] = await Promise.allSettled([begin, whole]);
  const { hasEvents } = client;
  client.transactionOf = undefined;
  // Without its BEGIN a statement is a transaction of its own.
  if (begun.status === 'rejected') return endInDoubt(client, begun.reason);
  if (done.status === 'rejected') return endFailed(client, done.reason, await commit);
  const ending = await (commit ?? sendCommit(client));
  if (ending.is !== 'durable') return endInDoubt(client, ending.cause);
  client.release();
  if (hasEvents) database.committedEvents.notify();
  return done.value;
}

/**
 * Changes how long the later statements of the transaction may wait for a lock. It is sent at once and alone, so that it takes no round trip
 * of its own where the next statement is sent without waiting for it.
 *
 * @throws Error When the setting fails; then the next statement fails too.
 */
export async function limitLockWaits(db: Queryable, options: TransactionOptions): Promise<void> {
  await (db as pg.PoolClient).query(settingOf(options));
}

function settingOf({ lockTimeoutMs }: TransactionOptions): string {
  return `set local lock_timeout = ${Math.trunc(lockTimeoutMs)}`;
}

/**
 * Citus sends a setting to the worker with all that stands in the same message, so that each stands alone. The commit of the worker is one
 * of another session, whose level is that of the worker and its role: it gets the level of this session.
 */
async function beginTransaction(client: DatabaseSession, setting: string): Promise<void> {
  if (!client.transactionOf?.isDistributed) return client.query(`begin; ${setting}`);
  const { commitLevel } = client;
  const settings = commitLevel === undefined ? [setting] : [setting, `set local synchronous_commit = ${commitLevel}`];
  await Promise.all(['begin', ...settings].map((text) => client.query(text)));
}

/** @throws Error For a pool, or a connection without a transaction. */
export function databaseOf(transaction: Queryable): Database {
  const { transactionOf: database } = transaction as Partial<DatabaseSession>;
  if (!database) throw new Error('This is not a transaction of inTransaction().');
  return database;
}

/** Nothing was stored, unless a COMMIT was sent and took effect. */
async function endFailed(client: pg.PoolClient, error: unknown, ending: Ending | undefined): Promise<never> {
  if (ending && ending.is !== 'rolled back') return endInDoubt(client, error);
  if (ending) client.release(isOfReadOnlySession(error));
  else await abandon(client, error);
  throw error;
}

function endInDoubt(client: pg.PoolClient, cause: unknown): never {
  client.release(true);
  throw new CommitUnknownError('The outcome of the COMMIT is unknown.', { cause });
}

/**
 * A ROLLBACK is sent only after an answer of the server, a refusal of the service, or work that gave up. After any other error, such as a
 * time-out of this side, it could wait behind a statement; so it could after one that the server canceled, for which the coordinator of a
 * cluster may wait all the same. The connection is ended then, as that of a read-only session is.
 */
async function abandon(client: pg.PoolClient, error: unknown): Promise<void> {
  const isAnswered = [pg.DatabaseError, ServiceError, GivenUpError].some((kind) => error instanceof kind);
  if (!isAnswered || isCanceled(error) || isOfReadOnlySession(error)) return client.release(true);
  try {
    await client.query('rollback');
    client.release();
  } catch {
    client.release(true);
  }
}

/** The outcome of a COMMIT. PostgreSQL answers the COMMIT of a failed transaction with the word ROLLBACK, and no error. */
type Ending = { readonly is: 'durable' | 'rolled back' | 'in doubt'; readonly cause?: unknown };

async function sendCommit(client: pg.PoolClient): Promise<Ending> {
  try {
    const { command } = await client.query('commit');
    if (command === 'ROLLBACK') return { is: 'rolled back', cause: new Error('The COMMIT was answered with ROLLBACK.') };
    if (command !== 'COMMIT') throw new Error(`The COMMIT was answered with ${command}.`);
    return { is: 'durable' };
  } catch (cause) {
    return { is: 'in doubt', cause };
  }
}
