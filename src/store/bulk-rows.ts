import type pg from 'pg';
import type { Queryable } from './database.ts';

/** One column of a record's row: its name, its type, and its value. */
export type Column<Item> = readonly [name: string, type: string, value: (item: Item) => unknown];

/** The database's clock, as precise as the interface shows it. A column would round a bare `now()`, up to half a millisecond ahead. */
export const NOW = "date_trunc('milliseconds', now())";

const EPOCH = "timestamptz '1970-01-01 00:00:00+00'";
/** SQL: a time as milliseconds since 1970, as text. It is immutable, as a distributed database requires of what is computed from columns. */
export const millisecondsOf = (time: string) => `(extract(epoch from ${time} - ${EPOCH}) * 1000)::int8::text`;

/**
 * What an insert of several rows does about a row with a key that is stored: it leaves the row out, or fails as a whole. To leave rows
 * out PostgreSQL looks for the keys of each row before it inserts it.
 */
export type OnStored = 'skip' | 'fail';

/** SQL: the end of an insert, before its `returning`. */
export const ON_CONFLICT: Readonly<Record<OnStored, string>> = { skip: 'on conflict do nothing', fail: '' };

/** `partner_id, transaction_id, …` */
export function namesOf(columns: readonly Column<never>[]): string {
  return columns.map(([name]) => name).join(', ');
}

/** `unnest($1::text[], …) as draft (partner_id, …)`: any number of rows under one text, a parameter for each column. */
export function unnested(alias: string, columns: readonly Column<never>[], firstParameter = 1): string {
  const lists = columns.map(([, type], index) => `$${firstParameter + index}::${type}[]`);
  return `unnest(${lists.join(', ')}) as ${alias} (${namesOf(columns)})`;
}

/** The parameters of {@link unnested}. */
export function listsOf<Item>(columns: readonly Column<Item>[], items: readonly Item[]): unknown[] {
  return columns.map(([, , value]) => items.map(value));
}

export interface ListedInsert<Item> {
  readonly table: string;
  readonly columns: readonly Column<Item>[];
  /** Columns that the database computes: name to SQL. */
  readonly computed: (item: Item) => Readonly<Record<string, string>>;
  /** Columns that the database computes from a value: name to the value, and the SQL for its parameter. */
  readonly derived?: (item: Item) => Readonly<Record<string, readonly [value: unknown, write: (parameter: string) => string]>>;
  readonly onStored: OnStored;
  readonly returning: string;
}

/**
 * Inserts rows by `insert … values` with a parameter for each value. A distributed database must see the node of each row: an insert from a
 * query is spread over all nodes first, at many times the cost, and fails when one of them does.
 *
 * @returns The `returning` columns of the inserted rows.
 */
export async function insertListed<Item, Row extends pg.QueryResultRow>(
  db: Queryable,
  { table, columns, computed, derived = () => ({}), onStored, returning }: ListedInsert<Item>,
  items: readonly Item[],
): Promise<Row[]> {
  const [first] = items;
  if (first === undefined) return [];
  const values: unknown[] = [];
  const rows = items.map((item) => {
    const cells = columns.map(([, type, value]) => `$${values.push(value(item))}::${type}`);
    const further = Object.values(derived(item)).map(([value, write]) => write(`$${values.push(value)}`));
    return `(${[...cells, ...Object.values(computed(item)), ...further].join(', ')})`;
  });
  const computedNames = Object.keys({ ...computed(first), ...derived(first) });
  const names = [namesOf(columns as readonly Column<never>[]), ...computedNames].join(', ');
  const text = `insert into ${table} (${names}) values ${rows.join(', ')} ${ON_CONFLICT[onStored]} returning ${returning}`;
  return (await (db as pg.Pool).query<Row>({ text, values })).rows;
}
