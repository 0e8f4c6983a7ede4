import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';

interface PageOfRecords {
  readonly has_more: boolean;
  readonly next_after: string;
}

interface PagesOptions {
  readonly isEnabled?: boolean;
  /** Whether it is read again every few seconds; a change that is made here makes it be read again in any case. */
  readonly isLive?: boolean;
}

/** A list that comes page by page. In another order its records stay until they are there in that order; under another filter none stays. */
export function usePages<PageType extends PageOfRecords>(
  key: readonly unknown[],
  read: (place: { after?: string }) => Promise<PageType>,
  { isEnabled = true, isLive = true }: PagesOptions = {},
): UseInfiniteQueryResult<InfiniteData<PageType>, Error> {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam === '' ? {} : { after: pageParam }),
    initialPageParam: '',
    placeholderData: (before, query) => (query && withoutSort(query.queryKey) === withoutSort(key) ? before : undefined),
    getNextPageParam: (page) => (page.has_more ? page.next_after : undefined),
    enabled: isEnabled,
    ...(!isLive && { refetchInterval: false }),
  });
}

/** What of the key of a list says which records it has. */
function withoutSort(key: readonly unknown[]): string {
  return JSON.stringify(key, (name, value) => (name === 'sort' ? undefined : value));
}
