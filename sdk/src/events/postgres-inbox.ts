import { ConfigurationError } from '../errors.ts';
import type { Handled, Inbox, InboxEvent, InboxOptions } from './inbox.ts';

/** What is used of a `PoolClient` of pg. */
export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: rows have the columns of the query
  query(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}

/** What is used of a `Pool` of pg. */
export interface PostgresPool<Client extends PostgresClient> extends PostgresClient {
  connect(): Promise<Client & PooledClient>;
}

interface PooledClient {
  release(error?: Error | boolean): void;
  on?(event: 'error', listener: (error: Error) => void): unknown;
  removeListener?(event: 'error', listener: (error: Error) => void): unknown;
}

/** Without a listener, a connection that ends between two statements would end the process. The next statement rejects with its error. */
const leaveToNextStatement = () => {};

const SCHEMA = `
  create table if not exists partner_impact_inbox (sequence bigint primary key, follows bigint not null, event_id text not null, body text not null);
  create table if not exists partner_impact_position (one int primary key check (one = 1), sequence bigint not null);`;
/** `create table if not exists` takes the right to create tables, where they are there too. */
const HAS_TABLES = `
  select count(*) = 2 as has_tables from pg_tables
  where schemaname = current_schema() and tablename in ('partner_impact_inbox', 'partner_impact_position')`;
/** Two processes that start at the same time would make one table twice; PostgreSQL refuses the second. */
const SCHEMA_LOCK = 0x70_69_69_6e;

/**
 * An inbox in PostgreSQL, in two tables that it makes itself where they are not there; a schema has one. A handler gets the client of the transaction: what it writes there is
 * committed with the position or not at all. Any number of processes may use one inbox; one of them handles at a time.
 */
export class PostgresInbox<Client extends PostgresClient> implements Inbox<Client> {
  readonly #pool: PostgresPool<Client>;
  readonly #startAfter: bigint;
  #ready: Promise<void> | undefined;

  constructor(pool: PostgresPool<Client>, { startAfter = 0n }: InboxOptions = {}) {
    if (typeof pool?.connect !== 'function') throw new ConfigurationError('PostgresInbox needs a pool of pg.');
    this.#pool = pool;
    this.#startAfter = startAfter;
  }

  async position(): Promise<bigint> {
    await this.#prepare();
    const { rows } = await this.#pool.query('select sequence::text as sequence from partner_impact_position');
    return BigInt(rows[0].sequence);
  }

  async add({ sequence, follows, eventId, body }: InboxEvent): Promise<boolean> {
    await this.#prepare();
    const { rows } = await this.#pool.query(
      `with lowered as (
        update partner_impact_inbox set follows = $2::bigint where sequence > $2::bigint and sequence < $1::bigint and follows > $2::bigint)
      insert into partner_impact_inbox (sequence, follows, event_id, body)
      select $1::bigint, $2::bigint, $3, $4 from partner_impact_position p where p.sequence < $1::bigint
      on conflict (sequence) do update set follows = least(partner_impact_inbox.follows, excluded.follows)
      returning xmax = 0 as is_new`,
      [String(sequence), String(follows), eventId, body],
    );
    return rows[0]?.is_new === true;
  }

  async handleNext(handle: (event: InboxEvent, tx: Client) => Promise<void> | void): Promise<Handled> {
    await this.#prepare();
    return this.#inTransaction(async (client) => {
      const { rows: positions } = await client.query(
        'select sequence::text as sequence from partner_impact_position for update skip locked',
      );
      if (positions.length === 0) return 'busy';
      const position = positions[0].sequence as string;
      const { rows } = await client.query(
        `select sequence::text as sequence, follows::text as follows, event_id, body, follows > $1::bigint as is_gap
        from partner_impact_inbox i where i.sequence > $1::bigint order by i.sequence limit 1`,
        [position],
      );
      const [row] = rows;
      if (!row) return 'empty';
      if (row.is_gap) return 'gap';
      const event = { sequence: BigInt(row.sequence), follows: BigInt(row.follows), eventId: row.event_id, body: row.body };
      await handle(event, client);
      await client.query('update partner_impact_position set sequence = $1::bigint', [row.sequence]);
      await client.query('delete from partner_impact_inbox where sequence <= $1::bigint', [row.sequence]);
      return 'handled';
    });
  }

  /** Once; after a failure the next call tries again. */
  #prepare(): Promise<void> {
    this.#ready ??= this.#createTables().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #createTables(): Promise<void> {
    await this.#inTransaction(async (client) => {
      await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
      const { rows } = await client.query(HAS_TABLES);
      if (!rows[0].has_tables) await client.query(SCHEMA);
      await client.query('insert into partner_impact_position (one, sequence) values (1, $1::bigint) on conflict do nothing', [
        String(this.#startAfter),
      ]);
    });
  }

  async #inTransaction<T>(run: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    client.on?.('error', leaveToNextStatement);
    let failure: Error | undefined;
    try {
      await client.query('begin');
      const result = await run(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch((rollbackError: Error) => {
        failure = rollbackError;
      });
      throw error;
    } finally {
      client.removeListener?.('error', leaveToNextStatement);
      // A connection that cannot roll back is closed.
      client.release(failure);
    }
  }
}
