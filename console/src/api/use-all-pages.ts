import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

/** All pages of a list, read one after the other: what was read so far, until `isWhole`. For what would be wrong with a part of them. */
export function useAllPages<PageType>(query: UseInfiniteQueryResult<InfiniteData<PageType>, Error>) {
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const pages: readonly PageType[] = data?.pages ?? [];
  return { pages, isWhole: data !== undefined && !hasNextPage };
}
