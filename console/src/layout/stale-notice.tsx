import { Alert, Text } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError, NoAnswerError } from '../api/api-error.ts';
import { toServiceTime } from '../api/service-clock.ts';
import { formatTime, ownZone } from '../format/time.ts';
import { Refusal } from '../parts/problem.tsx';
import { COMMON } from '../texts/common-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';

/** Above a page that shows records of earlier, because the service did not answer, or could not, when they were read again. */
export function StaleNotice() {
  const t = useTexts(COMMON);
  const { language } = useLanguage();
  const stale = useStale();
  if (!stale?.error) return null;
  const at = formatTime(new Date(toServiceTime(stale.dataUpdatedAt)).toISOString(), {
    language,
    zone: ownZone(),
    style: 'second',
  });
  return (
    <Alert color="yellow" role="status" mb="md">
      {stale.error instanceof NoAnswerError ? t.staleSince(at) : t.notReadSince(at)}
      {stale.error instanceof ApiError && (
        <Text size="sm" mt={4} component="div">
          <Refusal error={stale.error} isOfReading />
        </Text>
      )}
    </Alert>
  );
}

/** @returns The oldest of what is shown and could not be read again. */
function useStale() {
  const queries = useQueryClient();
  const subscribe = useCallback((onChange: () => void) => queries.getQueryCache().subscribe(onChange), [queries]);
  return useSyncExternalStore(subscribe, () => findStale(queries));
}

function findStale(queries: QueryClient) {
  return queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .map(({ state }) => state)
    .filter(({ data, error }) => data !== undefined && isOutage(error))
    .toSorted((one, other) => one.dataUpdatedAt - other.dataUpdatedAt)[0];
}

function isOutage(error: Error | null): boolean {
  return error instanceof NoAnswerError || (error instanceof ApiError && error.status >= 500);
}
