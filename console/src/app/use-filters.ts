import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Search } from './search-params.ts';

/** The filters in the address of the page, and a way to change some of them. Every change is a step that Back undoes. */
export function useFilters<Name extends string>(): {
  readonly filters: Readonly<Partial<Record<Name, string>>>;
  setFilters(change: Partial<Record<Name, string | undefined>>): void;
} {
  const filters = useSearch({ strict: false }) as Readonly<Partial<Record<Name, string>>>;
  const navigate = useNavigate();
  return {
    filters,
    setFilters: (change) => void navigate({ to: '.', search: ((before: Search) => ({ ...before, ...change })) as never }),
  };
}
