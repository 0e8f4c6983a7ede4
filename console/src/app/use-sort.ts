import { useFilters } from './use-filters.ts';

/** The order of a list: `created_at` from the lowest, `-created_at` from the highest. */
export type Sort<By extends string> = By | `-${By}`;

export interface Sorting<By extends string = string> {
  readonly by: By;
  readonly isDescending: boolean;
  /** The order without a choice. */
  readonly usual: Sort<By>;
  sort(by: By, isDescending: boolean): void;
}

/**
 * The order that the address of the page names.
 *
 * @param names What the list can be sorted by.
 * @param usual The order of an address that names none.
 * @param member Another member of the address, where a page has two lists.
 */
export function useSort<By extends string>(
  names: readonly By[],
  usual: Sort<NoInfer<By>>,
  member = 'sort',
): { readonly sort: Sort<By>; readonly sorting: Sorting<By> } {
  const { filters, setFilters } = useFilters([member]);
  const named = names.flatMap((name): Sort<By>[] => [name, `-${name}`]).find((each) => each === filters[member]);
  const sort = named ?? usual;
  return {
    sort,
    sorting: {
      by: sort.replace(/^-/, '') as By,
      isDescending: sort.startsWith('-'),
      usual,
      sort(by, isDescending) {
        const wanted = `${isDescending ? '-' : ''}${by}`;
        setFilters({ [member]: wanted === usual ? undefined : wanted });
      },
    },
  };
}
