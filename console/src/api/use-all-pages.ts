import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';

/**
 * All pages of a list, read one after the other: what was read so far, until `isWhole`. For what would be wrong with a part of them. A page
 * that cannot be read is asked for again with the next reading of the list.
 */
export function useAllPages<PageType>(query: UseInfiniteQueryResult<InfiniteData<PageType>, Error>) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const pages: readonly PageType[] = data?.pages ?? [];
  return { pages, isWhole: data !== undefined && !hasNextPage };
}
