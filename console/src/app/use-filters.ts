import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from './search-params.ts';

interface Chosen<Name extends string> {
  /** Those of the list, for `Filters`. */
  readonly filterNames: readonly Name[];
  readonly filters: Readonly<Partial<Record<Name, string>>>;
  /** Whether one of them is set: an empty list says that nothing fits. */
  readonly isFiltered: boolean;
  setFilters(change: Partial<Record<Name, string | undefined>>): void;
}

/** The filters in the address of the page, and a way to change some of them. Every change is a step that Back undoes. */
export function useFilters<const Name extends string>(names: readonly Name[]): Chosen<Name> {
  const filters = useSearch({ strict: false }) as Readonly<Partial<Record<Name, string>>>;
  const navigate = useNavigate();
  return {
    filterNames: names,
    filters,
    isFiltered: names.some((name) => filters[name]),
    setFilters: (change) => void navigate({ to: '.', search: ((before: Search) => ({ ...before, ...change })) as never }),
  };
}
