import pg from 'pg';
import type { Database } from './database.ts';

/**
 * The server warned beside an answer. Beside a commit that is the aborted wait for the standby: the commit is known on one machine only.
 * With any other warning the answer is not reliable either.
 */
export class WarnedError extends Error {
  override readonly name = 'WarnedError';
}

/** Class 01 of the SQL standard is "warning". The words and the severity are in the server's language, this is not. */
const WARNING = /^01/;

type Callback = (error: Error | null | undefined, result?: unknown) => void;
/** All forms of a query call, those of the pool included. */
type AnyQuery = (config: unknown, values: unknown, callback: Callback) => void;

/** A connection on which a statement with a warning of the server fails, be it a COMMIT or one that is its own transaction. */
export class Session extends pg.Client {
  /** Off behind a transaction pooler: a statement that is prepared by name may reach another server there. */
  preparesStatements = true;
  /** The database of its transaction; `undefined` outside of `inTransaction`. */
  transactionOf: Database | undefined;
  /** Whether the transaction wrote an event. */
  hasEvents = false;
  #warning: string | undefined;

  /** Counts warnings from now on; those while the connection was made concerned no statement. */
  heedWarnings(): void {
    this.on('notice', ({ code, message }) => {
      if (WARNING.test(code ?? '')) this.#warning = message ?? code;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver declares a type for each form; each is handed on as it came.
  override query(config: unknown, values?: unknown, callback?: unknown): any {
    const given = typeof values === 'function' ? values : callback;
    const list = typeof values === 'function' ? undefined : values;
    const query = super.query.bind(this) as AnyQuery;
    if (given) return query(config, list, this.#watched(given as Callback));
    return new Promise((resolve, reject) => {
      query(
        config,
        list,
        this.#watched((error, result) => (error ? reject(error) : resolve(result))),
      );
    });
  }

  /** The driver calls back when a statement is done, before it reads what belongs to the next. */
  #watched(callback: Callback): Callback {
    return (error, result) => {
      const warning = this.#warning;
      this.#warning = undefined;
      if (error || warning === undefined) callback(error, result);
      else callback(new WarnedError(`The server answered with a warning: ${warning}`));
    };
  }
}
