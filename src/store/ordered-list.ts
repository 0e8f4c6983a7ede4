import { createHash } from 'node:crypto';
import { notOfThisList } from '../domain/page-cursor.ts';
import type { Queryable } from './database.ts';
import { isDataException } from './database-errors.ts';
import { run } from './query.ts';

/** A column of an order, with its type as PostgreSQL names it. It is never null. */
export type KeyColumn = readonly [sql: string, type: 'text' | 'int8' | 'numeric' | 'timestamptz'];

/** The orders of a list, each by columns that an index has in this sequence. The last column makes every row distinct. */
export type Orders<By extends string> = Readonly<Record<By, readonly KeyColumn[]>>;

export interface Order<By extends string> {
  readonly by: By;
  readonly isDescending: boolean;
}

/** Where a page begins: the columns of the order in the row before it, as PostgreSQL writes them. */
export type Place = readonly string[];

export interface Placed {
  readonly place: Place;
}

export interface KeysetPage<By extends string> {
  readonly order: Order<By>;
  /** `undefined` for the first page. */
  readonly after: Place | undefined;
  readonly limit: number;
}

export interface KeysetList<By extends string> {
  readonly name: string;
  /** The columns. */
  readonly select: string;
  readonly from: string;
  readonly orders: Orders<By>;
  /** What holds for all rows of the list, as the index says it. */
  readonly where?: string;
  /**
   * What each row is completed by, once the page is read. Joined before, all rows of the list would be, where the planner expects few.
   * The rows keep the name that they have in `from`.
   */
  readonly completion?: { readonly row: string; readonly join: string };
}

/**
 * Values by SQL: a column, such as `partner_id`, must equal its value; with an operator behind it, as in `entry_no <=`, it is compared by
 * that one. The index that gives the order begins with the columns that must equal a value.
 */
export type Conditions = Readonly<Record<string, unknown>>;

/**
 * The rows of a list in one of its orders, from a place on. It reads as many rows as it returns.
 *
 * @param conditions Those without a value are left out.
 * @throws ServiceError `invalid_request` for a place whose values are none of the columns.
 */
export async function listByKeyset<Row extends object, By extends string>(
  db: Queryable,
  list: KeysetList<By>,
  conditions: Conditions,
  { order, after, limit }: KeysetPage<By>,
): Promise<(Row & Placed)[]> {
  const columns = list.orders[order.by];
  const values: unknown[] = [limit];
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  const wheres = [
    ...(list.where === undefined ? [] : [list.where]),
    ...given.map(([column, value]) => `${column}${/[<>=~*]$/.test(column) ? '' : ' ='} $${values.push(value)}`),
    ...(after === undefined ? [] : [isAfter(columns, order, (index) => values.push(after[index] ?? ''))]),
  ];
  const { select, from, completion } = list;
  const direction = order.isDescending ? ' desc' : '';
  const ordering = `order by ${columns.map(([sql]) => `${sql}${direction}`).join(', ')}`;
  const pageOf = (
    selected: string,
  ) => `select ${selected}, array[${columns.map(([sql]) => `${sql}::text`).join(', ')}] as place from ${from}
    ${wheres.length === 0 ? '' : `where ${wheres.join(' and ')}`} ${ordering} limit $1`;
  const text = completion
    ? `select ${select}, place from (${pageOf(`${completion.row}.*`)}) ${completion.row} ${completion.join} ${ordering}`
    : pageOf(select);
  const rows = run<Row & Placed>(db, { name: `${list.name}_${digestOf(text)}`, text }, values);
  return rows.catch((error: unknown) => {
    throw after !== undefined && isDataException(error) ? notOfThisList(error) : error;
  });
}

/** PostgreSQL keeps 63 characters of the name of a prepared statement. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Compared as a row, which an index of the same columns answers. */
function isAfter(columns: readonly KeyColumn[], { isDescending }: Order<string>, parameter: (index: number) => number): string {
  const left = columns.map(([sql]) => sql).join(', ');
  const right = columns.map(([, type], index) => `$${parameter(index)}::${type}`).join(', ');
  return `(${left}) ${isDescending ? '<' : '>'} (${right})`;
}
