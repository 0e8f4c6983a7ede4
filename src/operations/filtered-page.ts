import type { KeysetPage, Place } from '../store/ordered-list.ts';

/** A page looks at no more rows, so that what is rare costs no more than anything: it may be short, and more follows. */
export const LOOKED_AT_MAX = 2_000;

export interface FilteredPage<Row> {
  readonly page: readonly Row[];
  /** Where the next page begins; `undefined` where nothing was looked at. */
  readonly last: Place | undefined;
  readonly hasMore: boolean;
}

interface Look<Row, By extends string> {
  /** How many rows are wanted, in which order and after which place. */
  readonly page: KeysetPage<By>;
  /** Reads rows of the list. */
  readonly read: (part: KeysetPage<By>) => Promise<readonly Row[]>;
  /** `undefined` where every row is wanted. */
  readonly isWanted: ((row: Row) => boolean) | undefined;
}

/**
 * A filter takes up to three reads. The first reads a page; with the second the page is filled where one row in this many is wanted; the
 * third reads as far as {@link LOOKED_AT_MAX}.
 */
const SECOND_LOOK = 4;

/** A page of the rows that are wanted, among those that follow its place. */
export async function readFilteredPage<Row extends { readonly place: Place }, By extends string>({
  page,
  read,
  isWanted,
}: Look<Row, By>): Promise<FilteredPage<Row>> {
  const enough = page.limit + 1;
  const second = Math.min(enough * SECOND_LOOK, LOOKED_AT_MAX);
  const looks = isWanted === undefined ? [enough] : [enough, second - enough, LOOKED_AT_MAX - second];
  const wanted: Row[] = [];
  let [last, isAtEnd]: [Place | undefined, boolean] = [undefined, false];
  for (const limit of looks) {
    if (isAtEnd || wanted.length >= enough || limit === 0) break;
    const rows = await read({ ...page, after: last ?? page.after, limit });
    wanted.push(...(isWanted === undefined ? rows : rows.filter(isWanted)));
    last = rows.at(-1)?.place ?? last;
    isAtEnd = rows.length < limit;
  }
  const found = wanted.slice(0, page.limit);
  return { page: found, last: wanted.length < enough ? last : found.at(-1)?.place, hasMore: wanted.length >= enough || !isAtEnd };
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
