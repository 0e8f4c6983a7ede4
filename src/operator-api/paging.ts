import type { TSchema } from 'typebox';
import { type PagedList, pageAnswer, pageMembers, pageQuery, placeOf } from '../partner-api/paging.ts';
import type { KeysetPage, Place } from '../store/ordered-list.ts';
import { listOf, shape } from './schema-parts.ts';
import type { Sorting } from './sorting.ts';

/** Every list of the interface: 50 records of a page unless told, 200 at most. A place in the order of names contains a name. */
const SIZES = { default: 50, max: 200, afterLength: 2_048 } as const;

export const pageMembersOfQuery = pageQuery(SIZES);

/** The answer of a list: its records under their name, and how to go on. */
export const pageOf = <Name extends string, Item extends TSchema>(title: string, name: Name, item: Item, description: string) =>
  shape(title, { [name]: listOf(item, description), ...pageAnswer });

/** The description of a list that has filters without an index. */
export const LOOKS_AT =
  'With a filter a page looks at 2,000 records at most: it may be short, or empty, while `has_more` says that the list goes on.';

export interface SentPage {
  readonly limit?: string;
  readonly after?: string;
}

/** A page of a list that is sorted: the place of an order is no place of another. */
export interface SortedPage<By extends string> {
  readonly page: KeysetPage<By>;
  /** The members of the answer. @param last The place of the last record that was looked at; `undefined` where there was none. */
  end(last: Place | undefined, hasMore: boolean): { next_after: string; has_more: boolean };
}

/**
 * Reads the place, the order and the size of the page from the query.
 *
 * @param filters Of the list: the place of one is no place of another.
 */
export function sortedPage<By extends string>(
  operation: string,
  sorting: Sorting<By>,
  query: SentPage & { readonly sort?: string },
  filters: readonly (string | undefined)[],
): SortedPage<By> {
  const list: PagedList = {
    name: [operation, ...filters.map((filter) => filter ?? '-'), sorting.of(query)],
    first: '',
    isPlace: (text) => text === '' || readPlace(text) !== undefined,
  };
  const place = placeOf(list, query.after);
  return {
    page: {
      order: sorting.orderOf(query),
      after: readPlace(place),
      limit: Number(query.limit ?? SIZES.default),
    },
    end: (last, hasMore) => pageMembers(list, last === undefined ? place : JSON.stringify(last), hasMore),
  };
}

/** `undefined` for what no place is written as: a cursor is bound to its list, and not secret. */
function readPlace(text: string): Place | undefined {
  try {
    const place: unknown = JSON.parse(text);
    return Array.isArray(place) && place.every((each) => typeof each === 'string') ? place : undefined;
  } catch {
    return undefined;
  }
}
