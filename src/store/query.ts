import type pg from 'pg';
import { canPrepare, type Queryable } from './database.ts';
import { durableRead } from './durable-read.ts';

/** A statement of the hot path: prepared once per connection under its name, where that is possible. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Rows in the order of their ids, of everything or of these. */
export interface PageOfIds {
  readonly afterId: string;
  readonly ids: readonly string[] | null;
  readonly limit: number;
}

export async function run<Row extends pg.QueryResultRow>(
  db: Queryable,
  { name, text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await (db as pg.Pool).query<Row>(canPrepare(db) ? { name, text, values } : { text, values });
  return rows;
}

/**
 * Like {@link run}, planned anew each time, for the table as large as it is by then. For statements that change the rows of a list of
 * keys, a batch at a time: before PostgreSQL 17 a plan made while there were few rows reads them all and compares each with the list,
 * and a distributed database has to see the partner beside the list, which leaves that way open however they are written.
 */
export async function runAnew<Row extends pg.QueryResultRow>(
  db: Queryable,
  { text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await (db as pg.Pool).query<Row>({ text, values });
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

/** Like {@link runAnew}, for the months of a partner. More time than other statements have takes {@link allowLongStatements}. */
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

/**
 * SQL for a subquery of the one row that has the whole of a unique key, of which `partner_id` is a part.
 *
 * The other column stands there as a range of one value and as the order: an index of the whole key gives that order for nothing, and
 * any other way sorts besides, whatever is known of the table. By two equations it would cost as little, while the table is empty, to
 * read the partner's every row by any index that begins with the partner.
 *
 * @param condition That of a partial index.
 */
export function rowOf(
  table: string,
  { partnerId, key, value, condition }: { partnerId: string; key: string; value: string; condition?: string },
): string {
  const conditions = [`partner_id = ${partnerId}`, `${key} between ${value} and ${value}`, ...(condition ? [condition] : [])];
  return `(select * from ${table} where ${conditions.join(' and ')} order by ${key} limit 1)`;
}

/** A durable read that finds rows for a list of wanted ones, of any partners, and the same for those of one partner. */
export interface FindStatement {
  readonly ofAny: Statement;
  /** Its last parameter is the partner: a distributed database then asks that partner's node alone, and knows no other way. */
  readonly ofOne: Statement;
}

/**
 * @param parameters How many parameters the text has without the partner.
 * @param write Writes the text, given SQL for the partner of a wanted row.
 */
export function findStatement(name: string, parameters: number, write: (partnerId: string) => string): FindStatement {
  return {
    ofAny: durableRead({ name, text: write('wanted.partner_id') }),
    ofOne: durableRead({ name: `${name}_of_one`, text: write(`$${parameters + 1}`) }),
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

/**
 * Ends a subquery of `exists`, so that it is looked up for one row after the other and stops at the first that it finds; joined, it would
 * read all that waits. A distributed database knows no such look-up, and counts anew how it joins.
 */
export const ONE_BY_ONE = 'offset 0';
