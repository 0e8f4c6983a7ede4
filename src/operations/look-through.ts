import type { KeysetPage, Place } from '../store/ordered-list.ts';

/** A page looks at no more rows, so that what is rare costs no more than anything: it may be short, and more follows. */
export const LOOKED_AT_MAX = 2_000;

export interface LookedThrough<Row> {
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

/** Where few rows are wanted, each look takes so many times as many as the one before. */
const GROWTH = 4;

/** A page of the rows that are wanted, among those that follow its place. It looks no further than the page needs. */
export async function lookThrough<Row extends { readonly place: Place }, By extends string>({
  page,
  read,
  isWanted = () => true,
}: Look<Row, By>): Promise<LookedThrough<Row>> {
  const { limit } = page;
  const wanted: Row[] = [];
  let [last, lookedAt, isAtEnd]: [Place | undefined, number, boolean] = [undefined, 0, false];
  for (let size = limit + 1; !isAtEnd && wanted.length <= limit && lookedAt < LOOKED_AT_MAX; size *= GROWTH) {
    const part = { ...page, after: last ?? page.after, limit: Math.min(size, LOOKED_AT_MAX - lookedAt) };
    const rows = await read(part);
    wanted.push(...rows.filter(isWanted));
    last = rows.at(-1)?.place ?? last;
    lookedAt += rows.length;
    isAtEnd = rows.length < part.limit;
  }
  const hasMore = wanted.length > limit || !isAtEnd;
  const found = wanted.slice(0, limit);
  return { page: found, last: wanted.length > limit ? found.at(-1)?.place : last, hasMore };
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
