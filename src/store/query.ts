/**
 * How a statement is sent, and how rows are found by their keys.
 *
 * | Wanted | Use |
 * | --- | --- |
 * | One row by its unique key | {@link run}, with {@link isRow}, or {@link rowOf} in a subquery |
 * | A page of all rows by their ids, or those of a list of ids | {@link runListById} |
 * | Rows of a list of keys, for operators | {@link runListed}, of a {@link listedStatement} |
 * | The same for the requests of partners: a durable read | {@link runWanted}, of a {@link wantedStatement} |
 */
import type pg from 'pg';
import { withBinaryLists } from './binary-lists.ts';
import { canPrepare, type Database, type Queryable } from './database.ts';
import { durableRead } from './durable-read.ts';
import { withoutTransactionTimeout } from './session-settings.ts';

/** A statement with a name, under which it is prepared once per connection, when that is possible. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Selects the rows after an id, in the order of their ids; or, with `ids`, these rows alone. */
export interface PageOfIds {
  readonly afterId: string;
  readonly ids?: readonly string[] | null;
  readonly limit: number;
}

/** A table whose rows have an id of their own. */
export interface ListById {
  readonly name: string;
  /** The columns, and the table. */
  readonly select: string;
  /** The column with the id. */
  readonly id: string;
  /** That of a partial index: every row meets it. */
  readonly condition?: string;
}

export async function run<Row extends pg.QueryResultRow>(
  db: Queryable,
  statement: Statement,
  parameters: unknown[],
): Promise<Row[]> {
  const { name, text } = statement;
  const values = withBinaryLists(statement, parameters);
  const { rows } = await (db as pg.Pool).query<Row>(canPrepare(db) ? { name, text, values } : { text, values });
  return rows;
}

/**
 * Like {@link run}, planned each time for the current size of the table. For statements that change the rows of a list of keys, a batch
 * at a time: before PostgreSQL 17 a plan from a small table reads all rows and compares each with the list, and on a distributed
 * database, which must see the partner beside the list, that plan stays possible however they are written.
 */
export async function runAnew<Row extends pg.QueryResultRow>(
  db: Queryable,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await (db as pg.Pool).query<Row>({ text: statement.text, values: withBinaryLists(statement, values) });
  return rows;
}

/**
 * All rows in the order of their ids, or those of a list of ids, in no order. These are two statements, and the second one has no order and
 * is planned anew as in {@link runAnew}, because PostgreSQL before 17 would otherwise compare every row with the list.
 */
export async function runListById<Row extends pg.QueryResultRow>(
  db: Queryable,
  { name, select, id, condition = 'true' }: ListById,
  { afterId, ids = null, limit }: PageOfIds,
): Promise<Row[]> {
  return ids === null
    ? run<Row>(db, { name, text: `${select} where ${condition} and ${id} > $1 order by ${id} limit $2` }, [afterId, limit])
    : runAnew<Row>(db, { name, text: `${select} where ${condition} and ${id} = any ($1::text[])` }, [ids]);
}

/** The time limit of statements that close over a partner's month at once. */
export interface LongStatements {
  readonly timeoutMs: number;
}

/** In effect until the transaction ends. Such work is sorted and hashed in more memory than a request may have. */
export async function allowLongStatements(db: Queryable, { timeoutMs }: LongStatements): Promise<void> {
  const text = `set local statement_timeout = ${Math.trunc(timeoutMs)}; set local work_mem = '64MB'`;
  await (db as pg.Pool).query(text);
  // Behind a transaction pooler that of the role is in effect. Sent alone: Citus sends what goes along with a setting to the workers.
  await (db as pg.Pool).query(`select ${withoutTransactionTimeout(true)}`);
}

/** The server ends a statement before its caller gives up, so that the error says why. */
const ANSWER_AFTER_MS = 500;

/** Like {@link runAnew}, for the months of a partner. {@link allowLongStatements} gives it more time than other statements have. */
export async function runLong<Row extends pg.QueryResultRow>(
  db: Queryable,
  { text }: Statement,
  values: unknown[],
  { timeoutMs }: LongStatements,
): Promise<Row[]> {
  const query = { text, values, query_timeout: timeoutMs + ANSWER_AFTER_MS };
  const { rows } = await (db as pg.Pool).query<Row>(query as pg.QueryConfig);
  return rows;
}

/** SQL of a unique key: `partner_id` and another column. */
interface RowKey {
  readonly partnerId: string;
  readonly key: string;
  readonly value: string;
  /** That of a partial index. */
  readonly condition?: string;
}

/**
 * SQL after `where` for the one row with a unique key, of which `partner_id` is a part. The other column is a range of one value and the
 * order: an index of the whole key gives that order for free, and any other plan sorts too, whatever is known of the table. With two
 * equations, while the table is empty, reading the partner's every row by any index on the partner would cost as little.
 */
export function isRow({ partnerId, key, value, condition }: RowKey): string {
  return firstOf(key, [`partner_id = ${partnerId}`, `${key} between ${value} and ${value}`, condition]);
}

/** SQL for a subquery of that row. */
export function rowOf(table: string, rowKey: RowKey): string {
  return `(select * from ${table} where ${isRow(rowKey)})`;
}

/**
 * SQL for the condition that a row has a name that its partner gave, for an index of the name and then the partner. The list of one name keeps
 * the name as an order that costs nothing (as the range does in {@link isRow}), and is one entry of the index, however many partners use
 * the name.
 */
export function hasName(key: string, { partnerId, value }: Pick<RowKey, 'partnerId' | 'value'>): string {
  return `partner_id = ${partnerId} and ${key} = any (array[${value}])`;
}

/** Like {@link rowOf}, for a unique key that begins with the other column ({@link hasName}). */
export function rowOfName(table: string, { partnerId, key, value, condition }: RowKey): string {
  return `(select * from ${table} where ${firstOf(key, [hasName(key, { partnerId, value }), condition])})`;
}

function firstOf(key: string, conditions: readonly (string | undefined)[]): string {
  const given = conditions.filter((condition) => condition !== undefined);
  return `${given.join(' and ')} order by ${key} limit 1`;
}

/**
 * SQL for pairs of a partner and an id, from two lists of the same length. Two conditions of one list each would look up every id of every
 * partner before PostgreSQL 17.
 */
const LISTED = '(select * from unnest($1::text[], $2::text[]))';

/** Rows of any partners, by {@link LISTED} pairs. */
export interface ListedStatement {
  /** Prepared: looks each up by its index, whatever was known of the table. */
  readonly oneByOne: Statement;
  /** Planned anew: a distributed database has no such look-up. */
  readonly anywhere: Statement;
  /** The same of one partner's rows, so that a distributed database asks the partner's node alone: `$1` is the partner. */
  readonly ofOne: Statement;
}

/** @param write Writes the text, given SQL of the rows under their alias, and of their partner. */
export function listedStatement(
  name: string,
  { table, alias, key }: { readonly table: string; readonly alias: string; readonly key: string },
  write: (rows: string, partnerId: string) => string,
): ListedStatement {
  const anyPartner = `${alias}.partner_id`;
  const row = rowOf(table, { partnerId: 'listed_partner', key, value: 'listed_key' });
  return {
    oneByOne: {
      name,
      text: write(`${LISTED} listed (listed_partner, listed_key) cross join lateral ${row} ${alias}`, anyPartner),
    },
    anywhere: { name, text: write(`(select * from ${table} where (partner_id, ${key}) in ${LISTED}) ${alias}`, anyPartner) },
    ofOne: { name, text: write(`(select * from ${table} where partner_id = $1 and ${key} = any ($2::text[])) ${alias}`, '$1') },
  };
}

/** A database, or one of its transactions in place of the pool. */
export interface ListedIn extends Pick<Database, 'isDistributed'> {
  readonly pool: Queryable;
}

export async function runListed<Row extends pg.QueryResultRow>(
  { pool, isDistributed }: ListedIn,
  { oneByOne, anywhere, ofOne }: ListedStatement,
  listed: readonly (readonly [partnerId: string, key: string])[],
): Promise<Row[]> {
  const [first] = listed;
  if (!first) return [];
  const [partnerIds, keys] = [listed.map(([partnerId]) => partnerId), listed.map(([, key]) => key)];
  if (!isDistributed) return run<Row>(pool, oneByOne, [partnerIds, keys]);
  const isOfOne = partnerIds.every((partnerId) => partnerId === first[0]);
  return isOfOne ? runAnew<Row>(pool, ofOne, [first[0], keys]) : runAnew<Row>(pool, anywhere, [partnerIds, keys]);
}

/** A durable read that finds rows for a list of keys, of any partners, and the same for those of one partner. */
export interface WantedStatement {
  readonly ofAny: Statement;
  /**
   * Finds rows of one partner, which is its last parameter: a distributed database then uses that partner's node only, and has no other
   * plan.
   */
  readonly ofOne: Statement;
}

/**
 * @param parameters How many parameters the text has without the partner.
 * @param write Writes the text, given SQL for the partner of a row.
 */
export function wantedStatement(name: string, parameters: number, write: (partnerId: string) => string): WantedStatement {
  return {
    ofAny: durableRead({ name, text: write('wanted.partner_id') }),
    ofOne: durableRead({ name: `${name}_of_one`, text: write(`$${parameters + 1}`) }),
  };
}

export async function runWanted<Row extends pg.QueryResultRow>(
  db: Queryable,
  { ofAny, ofOne }: WantedStatement,
  wanted: readonly { readonly partnerId: string }[],
  values: unknown[],
): Promise<Row[]> {
  const partnerId = wanted[0]?.partnerId;
  const isOfOne = wanted.every((each) => each.partnerId === partnerId);
  return isOfOne ? run<Row>(db, ofOne, [...values, partnerId]) : run<Row>(db, ofAny, values);
}

/**
 * Ends a subquery of `exists`, so that it is looked up row by row and stops at the first hit; as a join it would read everything that
 * waits. A distributed database has no such look-up, and plans its joins anew.
 */
export const ONE_BY_ONE = 'offset 0';
