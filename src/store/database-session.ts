import pg from 'pg';
import { AnswerWatch } from './answer-watch.ts';
import { cancelWork } from './cancel-work.ts';
import type { Database } from './database.ts';
import { problemOf, UnfitDatabaseError } from './database-problem.ts';

/**
 * The server warned beside an answer. Beside a commit that is the aborted wait for the standby: the commit is known on one machine only.
 * With any other warning the answer is not reliable either.
 */
export class WarnedError extends Error {
  override readonly name = 'WarnedError';
}

/** Class 01 of the SQL standard is "warning". The words and the severity are in the server's language, this is not. */
const WARNING = /^01/;

/**
 * The functions of PostgreSQL that warn with every id that they assign, long before there is none left. What was written is durable; the
 * watch of the database tells of the ids. The name is not translated.
 */
const ASSIGNS_AN_ID = /^GetNew(TransactionId|MultiXactId)$/;

/** What the driver says of a statement whose time, given as `query_timeout`, is over. */
const READ_TIMEOUT = 'Query read timeout';

type Callback = (error: Error | null | undefined, result?: unknown) => void;
/** All forms of a query call, those of the pool included. */
type AnyQuery = (config: unknown, values: unknown, callback: Callback) => void;

export interface SessionConfig extends pg.ClientConfig {
  /** How long the server may be silent while statements wait for it. */
  readonly answerTimeoutMs?: number;
}

/** A connection on which a statement with a warning of the server fails, be it a COMMIT or one that is its own transaction. */
export class DatabaseSession extends pg.Client {
  /** Off behind a transaction pooler: a statement that is prepared by name may reach another server there. */
  preparesStatements = true;
  /** The database of its transaction; `undefined` outside of `inTransaction`. */
  transactionOf: Database | undefined;
  /** Its `synchronous_commit`, where the service keeps it from losing commits. */
  commitLevel: string | undefined;
  /** Whether the transaction wrote an event. */
  hasEvents = false;
  #warning: string | undefined;
  readonly #answers: AnswerWatch;

  constructor(config: SessionConfig = {}) {
    super(config);
    const end = () => this.cut('The database does not answer: the connection was ended.');
    this.#answers = new AnswerWatch(end, config.answerTimeoutMs);
    // When a sign-in fails on this side, as without a password, the driver leaves the socket open. The server would keep its place.
    this.connection.on('error', (error: Error) => {
      nameEach(error);
      this.connection.stream.destroy();
    });
  }

  /** Ends the connection at once, and what the server does for it. Statements under way fail with the reason. */
  cut(reason: string): void {
    this.connection.stream.destroy(new Error(reason));
    cancelWork(this);
  }

  /** Counts warnings from now on, except of ids that run out; those while the connection was made concerned no statement. */
  heedWarnings(): void {
    this.on('notice', ({ code, message, routine }) => {
      if (WARNING.test(code ?? '') && !ASSIGNS_AN_ID.test(routine ?? '')) this.#warning = message ?? code;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver declares a type for each form; each is handed on as it came.
  override query(config: unknown, values?: unknown, callback?: unknown): any {
    const given = typeof values === 'function' ? values : callback;
    const list = typeof values === 'function' ? undefined : values;
    const send = super.query.bind(this) as AnyQuery;
    // The driver itself times a statement that may take longer.
    const isWatched = (config as { readonly query_timeout?: number } | null)?.query_timeout === undefined;
    const query = (called: Callback) => {
      send(config, list, this.#watched(called, isWatched));
      if (isWatched) this.#answers.countSent();
    };
    if (given) return query(given as Callback);
    return new Promise((resolve, reject) => {
      query((error, result) => (error ? reject(error) : resolve(result)));
    });
  }

  /** The driver calls back when a statement is done, before it reads what belongs to the next. */
  #watched(callback: Callback, isWatched: boolean): Callback {
    return (error, result) => {
      if (isWatched) this.#answers.countAnswer(Boolean(error));
      // The driver ends the connection, and leaves to the server what it does.
      else if (error?.message === READ_TIMEOUT) cancelWork(this);
      const warning = this.#warning;
      this.#warning = undefined;
      if (error || warning === undefined) callback(error, result);
      else callback(new WarnedError(`The server answered with a warning: ${warning}`));
    };
  }
}

/** Gives words to the error of a host that has several addresses, of which none was reached: Node leaves its message empty. */
function nameEach(error: Error): void {
  if (error instanceof AggregateError && error.message === '')
    error.message = error.errors.map((each: Error) => each.message).join('; ');
}

/** What a pool gets for a session that cannot be made: the pool tells those who wait, as of a server that refuses it. */
class UnmadeSession extends pg.Client {
  readonly #failure: Error;

  constructor(failure: Error) {
    super();
    this.#failure = failure;
  }

  override async connect(callback?: (...results: never[]) => void): Promise<pg.Client> {
    if (callback === undefined) throw this.#failure;
    process.nextTick(callback as Callback, this.#failure);
    return this;
  }
}

/**
 * Makes sessions for a pool, which calls it with `new`. The driver reads the files of `sslrootcert`, `sslcert` and `sslkey` anew for each
 * session, and throws where it cannot. A pool makes sessions while a socket tells that another one has ended, too: what is thrown there
 * ends the process.
 */
export const SessionOfPool = function makeSession(config: SessionConfig): pg.Client {
  try {
    return new DatabaseSession(config);
  } catch (error) {
    return new UnmadeSession(explainUnmade(error as NodeJS.ErrnoException));
  }
} as unknown as new () => pg.Client;

function explainUnmade(error: NodeJS.ErrnoException): Error {
  const isOfFile = error.syscall !== undefined && problemOf(error)?.reason !== 'files_used_up';
  return isOfFile ? new UnfitDatabaseError('certificate', error.message) : error;
}
