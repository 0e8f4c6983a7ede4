/** How a list is sorted: headings on a wide screen, and one choice on a narrow one, where cards have no headings. */
import { Select, UnstyledButton, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Sorting } from '../app/use-sort.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useTexts } from '../texts/language.tsx';
import { Icon } from './icon.tsx';

/** A column that the list can be sorted by. */
export interface Sortable {
  readonly label: string;
  readonly sort: string;
  /** What is low: early, little, or a name. */
  readonly kind: 'time' | 'size' | 'name';
}

export function SortHeading({ column, sorting }: { readonly column: Sortable; readonly sorting: Sorting }) {
  const { breakpoints } = useMantineTheme();
  const isSorted = sorting.by === column.sort;
  // A choice of the order stands for the headings there: what is not seen gets no focus.
  if (useMediaQuery(`(max-width: ${breakpoints.sm})`)) return column.label;
  const first = column.kind !== 'name';
  return (
    <UnstyledButton
      className="sort-heading"
      data-sorted={isSorted || undefined}
      onClick={() => sorting.sort(column.sort, isSorted ? !sorting.isDescending : first)}
    >
      {column.label}
      <Icon name={isSorted && !sorting.isDescending ? 'up' : 'down'} size={14} />
    </UnstyledButton>
  );
}

export function ariaSort({ by, isDescending }: Sorting, name: string): 'ascending' | 'descending' | 'none' {
  if (by !== name) return 'none';
  return isDescending ? 'descending' : 'ascending';
}

interface Order {
  readonly value: string;
  /** `Points: most first`. */
  readonly label: string;
}

/** The orders of a list in words, and the one that it has; none where it cannot be sorted. */
export function useOrders(columns: readonly Sortable[], sorting: Sorting | undefined) {
  const t = useTexts(COMMON);
  const ways = {
    time: [t.latestFirst, t.earliestFirst],
    size: [t.mostFirst, t.leastFirst],
    name: [t.lastToFirst, t.firstToLast],
  } as const;
  const orders: Order[] = columns.flatMap(({ label, sort, kind }) => [
    { value: `-${sort}`, label: `${label}: ${ways[kind][0]}` },
    { value: sort, label: `${label}: ${ways[kind][1]}` },
  ]);
  // The order of a list without a choice is that of a column, or that in which its records were created.
  const usual = sorting?.usual;
  if (usual !== undefined && !orders.some(({ value }) => value === usual))
    orders.unshift({ value: usual, label: `${t.created}: ${ways.time[usual.startsWith('-') ? 0 : 1]}` });
  const now = sorting && `${sorting.isDescending ? '-' : ''}${sorting.by}`;
  return { orders, order: orders.find(({ value }) => value === now) };
}

export function SortChoice({ columns, sorting }: { readonly columns: readonly Sortable[]; readonly sorting: Sorting }) {
  const { sortBy } = useTexts(COMMON);
  const { orders, order } = useOrders(columns, sorting);
  return (
    <Select
      className="sort-choice"
      label={sortBy}
      data={orders}
      allowDeselect={false}
      value={order?.value ?? null}
      onChange={(chosen) => chosen && sorting.sort(chosen.replace(/^-/, ''), chosen.startsWith('-'))}
    />
  );
}
