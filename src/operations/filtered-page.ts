import type { KeysetPage, Place } from '../store/ordered-list.ts';

/** A page looks at no more rows, so that what is rare costs no more than anything: it may be short, and more follows. */
export const LOOKED_AT_MAX = 2_000;

export interface FilteredPage<Row, After = Place> {
  readonly page: readonly Row[];
  /** Where the next page begins; `undefined` where nothing was looked at. */
  readonly last: After | undefined;
  readonly hasMore: boolean;
}

interface Filter<Row> {
  /** `undefined` where every row is wanted. */
  readonly isWanted: ((row: Row) => boolean) | undefined;
}

interface Look<Row, By extends string> extends Filter<Row> {
  /** How many rows are wanted, in which order and after which place. */
  readonly page: KeysetPage<By>;
  /** Reads rows of the list. */
  readonly read: (part: KeysetPage<By>) => Promise<readonly Row[]>;
}

interface Looks<Row, After> extends Filter<Row> {
  /** How many rows are wanted. */
  readonly limit: number;
  /** Reads rows of the list after one of them; `undefined` where the page begins. */
  readonly read: (last: After | undefined, limit: number) => Promise<readonly Row[]>;
  readonly placeOf: (row: Row) => After;
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
  return lookFor<Row, Place>({
    limit: page.limit,
    read: (last, limit) => read({ ...page, after: last ?? page.after, limit }),
    placeOf: ({ place }) => place,
    isWanted,
  });
}

/** A page of the rows that are wanted, of a list in any order. */
export async function lookFor<Row, After>(looks: Looks<Row, After>): Promise<FilteredPage<Row, After>> {
  const { limit: wantedMost, read, placeOf, isWanted } = looks;
  const enough = wantedMost + 1;
  const second = Math.min(enough * SECOND_LOOK, LOOKED_AT_MAX);
  const sizes = isWanted === undefined ? [enough] : [enough, second - enough, LOOKED_AT_MAX - second];
  const wanted: Row[] = [];
  let [last, isAtEnd]: [After | undefined, boolean] = [undefined, false];
  for (const limit of sizes) {
    if (isAtEnd || wanted.length >= enough || limit === 0) break;
    const rows = await read(last, limit);
    wanted.push(...(isWanted === undefined ? rows : rows.filter(isWanted)));
    const end = rows.at(-1);
    if (end !== undefined) last = placeOf(end);
    isAtEnd = rows.length < limit;
  }
  const page = wanted.slice(0, wantedMost);
  const hasEnough = wanted.length >= enough;
  return { page, last: hasEnough ? placeOf(page.at(-1) as Row) : last, hasMore: hasEnough || !isAtEnd };
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
