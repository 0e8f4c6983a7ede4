import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';

interface PageOfRecords {
  readonly has_more: boolean;
  readonly next_after: string;
}

/** A list that comes page by page. */
export function usePages<PageType extends PageOfRecords>(
  key: readonly unknown[],
  read: (place: { after?: string }) => Promise<PageType>,
  isEnabled = true,
): UseInfiniteQueryResult<InfiniteData<PageType>, Error> {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam === '' ? {} : { after: pageParam }),
    initialPageParam: '',
    getNextPageParam: (page) => (page.has_more ? page.next_after : undefined),
    enabled: isEnabled,
  });
}
