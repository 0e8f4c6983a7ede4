import type { Place } from '../store/ordered-list.ts';

/** A page looks at no more rows, so that what is rare costs no more than anything: it may be short, and more follows. */
export const LOOKED_AT_MAX = 2_000;

export interface LookedThrough<Row> {
  readonly page: readonly Row[];
  /** Where the next page begins; `undefined` where nothing was looked at. */
  readonly last: Place | undefined;
  readonly hasMore: boolean;
}

interface Look<Row> {
  readonly limit: number;
  /** Reads rows in the order of the list. */
  readonly read: (max: number) => Promise<readonly Row[]>;
  /** `undefined` where every row is wanted. */
  readonly isWanted: ((row: Row) => boolean) | undefined;
}

/** A page of the rows that are wanted, among those that follow its place. */
export async function lookThrough<Row extends { readonly place: Place }>({
  limit,
  read,
  isWanted,
}: Look<Row>): Promise<LookedThrough<Row>> {
  const max = isWanted === undefined ? limit + 1 : LOOKED_AT_MAX;
  const looked = await read(max);
  const wanted = isWanted === undefined ? looked : looked.filter(isWanted);
  const page = wanted.slice(0, limit);
  const last = wanted.length > limit ? page.at(-1) : looked.at(-1);
  return { page, last: last?.place, hasMore: wanted.length > limit || looked.length === max };
}

/** Whether a row has the value that is asked for of each of its members; `undefined` where none is asked for. */
export function wantedBy(wanted: Readonly<Record<string, unknown>>): ((row: object) => boolean) | undefined {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  return (row) => given.every(([name, value]) => (row as Record<string, unknown>)[name] === value);
}

/** Records that were read by their ids, in the order of the ids. */
export function inOrderOf<Row>(ids: readonly string[], rows: readonly Row[], idOf: (row: Row) => string): Row[] {
  const byId = new Map(rows.map((row) => [idOf(row), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
