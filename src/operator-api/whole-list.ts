import type { Place } from '../store/ordered-list.ts';
import type { SortedPage } from './paging.ts';

/** What a record is sorted by, and its id: both as text whose characters are compared. */
type KeyOf<Row, By> = (row: Row, by: By) => readonly [key: string, id: string];

/**
 * A page of a list that is read whole: operators, keys of a partner, projects and rules are few, whatever the traffic is.
 *
 * @param rows Those that are wanted.
 */
export function pageOfWhole<Row, By extends string>(
  rows: readonly Row[],
  { page: { order, after, limit }, end }: SortedPage<By>,
  keyOf: KeyOf<Row, By>,
): { readonly page: readonly Row[]; readonly end: ReturnType<SortedPage<By>['end']> } {
  const sign = order.isDescending ? -1 : 1;
  const placed = rows.map((row) => ({ row, place: keyOf(row, order.by) }));
  const following = placed
    .filter(({ place }) => after === undefined || sign * compare(place, after) > 0)
    .toSorted((one, other) => sign * compare(one.place, other.place));
  const page = following.slice(0, limit);
  return { page: page.map(({ row }) => row), end: end(page.at(-1)?.place, following.length > limit) };
}

function compare([key = '', id = '']: Place, [otherKey = '', otherId = '']: Place): number {
  if (key !== otherKey) return key < otherKey ? -1 : 1;
  if (id === otherId) return 0;
  return id < otherId ? -1 : 1;
}
