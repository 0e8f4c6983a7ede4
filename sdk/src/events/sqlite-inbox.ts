import { ConfigurationError } from '../errors.ts';
import type { Handled, Inbox, InboxEvent, InboxOptions } from './inbox.ts';

/** What is used of a connection: `DatabaseSync` of `node:sqlite` and `Database` of better-sqlite3 have it. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    run(...values: (string | bigint)[]): unknown;
    get(...values: (string | bigint)[]): unknown;
  };
}

const SCHEMA = `
  create table if not exists partner_impact_inbox (sequence integer primary key, follows integer not null, event_id text not null, body text not null);
  create table if not exists partner_impact_position (one integer primary key check (one = 1), sequence integer not null);`;
/** Of all stored events the first one; integers as text, because drivers disagree about those above 2^53. */
const NEXT = `
  select cast(i.sequence as text) as sequence, cast(i.follows as text) as follows, i.event_id, i.body, i.follows > p.sequence as is_gap
  from partner_impact_inbox i, partner_impact_position p where i.sequence > p.sequence order by i.sequence limit 1`;

const LOCKED_BY_ITSELF =
  'A handler got "database is locked". In the file of the inbox a handler writes with its second parameter, tx, alone: any other connection to that file waits for the transaction of the handler itself.';

/**
 * An inbox in SQLite, in two tables that it makes itself; a file has one. A handler gets the connection: what it writes there is committed with the
 * position or not at all, if it does not wait for anything but the database.
 *
 * Give it a connection of its own: other statements on the same one would be part of the transaction of a handler that waits. A handler that
 * writes to the same file by another connection waits for its own transaction: `handleNext` then rejects with `ConfigurationError`.
 */
export class SqliteInbox<Db extends SqliteDatabase> implements Inbox<Db> {
  readonly #database: Db;
  /**
   * The last use of the connection. Each use waits for the one before it: what is stored while a handler waits is not undone with the
   * handler's transaction, and is stored before the next transaction begins.
   */
  #lastUse: Promise<unknown> = Promise.resolve();
  #isHandling = false;

  constructor(database: Db, { startAfter = 0n }: InboxOptions = {}) {
    if (typeof database?.prepare !== 'function')
      throw new ConfigurationError('SqliteInbox needs a connection of node:sqlite or better-sqlite3.');
    this.#database = database;
    database.exec('pragma busy_timeout = 5000');
    database.exec(SCHEMA);
    database.prepare('insert or ignore into partner_impact_position (one, sequence) values (1, ?)').run(startAfter);
  }

  async position(): Promise<bigint> {
    const row = this.#database.prepare('select cast(sequence as text) as sequence from partner_impact_position').get();
    return BigInt((row as { sequence: string }).sequence);
  }

  add(event: InboxEvent): Promise<boolean> {
    return this.#inTurn(() => this.#store(event));
  }

  async handleNext(handle: (event: InboxEvent, tx: Db) => Promise<void> | void): Promise<Handled> {
    if (this.#isHandling) return 'busy';
    this.#isHandling = true;
    try {
      return await this.#inTurn(() => this.#inTransaction(() => this.#handle(handle)));
    } finally {
      this.#isHandling = false;
    }
  }

  #inTurn<T>(use: () => T | Promise<T>): Promise<T> {
    const result = this.#lastUse.then(use);
    this.#lastUse = result.catch(() => {});
    return result;
  }

  #store({ sequence, follows, eventId, body }: InboxEvent): boolean {
    // By `run`: `get` returns with the first row, before the commit, and the drivers tell nobody of a commit that fails after it.
    this.#database
      .prepare(
        `insert into partner_impact_inbox (sequence, follows, event_id, body)
        select ?, ?, ?, ? from partner_impact_position p where p.sequence < ?
        on conflict (sequence) do nothing`,
      )
      .run(sequence, follows, eventId, body, sequence);
    const { stored } = this.#database.prepare('select changes() as stored').get() as { readonly stored: number | bigint };
    const isNew = Number(stored) > 0;
    if (!isNew || follows < sequence - 1n)
      this.#database
        .prepare('update partner_impact_inbox set follows = min(follows, ?) where sequence > ? and sequence <= ?')
        .run(follows, follows, sequence);
    return isNew;
  }

  async #inTransaction(run: () => Promise<Handled>): Promise<Handled> {
    const database = this.#database;
    try {
      database.exec('begin immediate');
    } catch (error) {
      if (isLocked(error)) return 'busy';
      throw error;
    }
    try {
      const result = await run();
      database.exec('commit');
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }

  async #handle(handle: (event: InboxEvent, tx: Db) => Promise<void> | void): Promise<Handled> {
    const row = this.#database.prepare(NEXT).get() as Row | undefined;
    if (!row) return 'empty';
    if (Number(row.is_gap) === 1) return 'gap';
    const sequence = BigInt(row.sequence);
    try {
      await handle({ sequence, follows: BigInt(row.follows), eventId: row.event_id, body: row.body }, this.#database);
    } catch (error) {
      throw isLocked(error) ? new ConfigurationError(LOCKED_BY_ITSELF, { cause: error }) : error;
    }
    this.#database.prepare('update partner_impact_position set sequence = ?').run(sequence);
    this.#database.prepare('delete from partner_impact_inbox where sequence <= ?').run(sequence);
    return 'handled';
  }
}

interface Row {
  readonly sequence: string;
  readonly follows: string;
  readonly event_id: string;
  readonly body: string;
  readonly is_gap: number | bigint;
}

/** The transaction may never have begun. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch (error) {
    if (!/no transaction/.test(String(error))) throw error;
  }
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /database is locked/.test(error.message);
}
