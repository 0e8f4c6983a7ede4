import { Alert } from '@mantine/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { NoAnswerError } from '../api/api-error.ts';
import { formatTime, ownZone } from '../format/time.ts';
import { COMMON } from '../texts/common-texts.ts';
import { useLanguage, useTexts } from '../texts/language.tsx';

/** Above a page that shows records of earlier, because the service did not answer when they were read again. */
export function StaleNotice() {
  const t = useTexts(COMMON);
  const { language } = useLanguage();
  const since = useStaleSince();
  if (since === undefined) return null;
  return (
    <Alert color="yellow" role="status" mb="md">
      {t.staleSince(formatTime(new Date(since).toISOString(), { language, zone: ownZone(), style: 'second' }))}
    </Alert>
  );
}

/** @returns When the oldest of what is shown was read, in milliseconds, while the service does not answer. */
function useStaleSince(): number | undefined {
  const queries = useQueryClient();
  const subscribe = useCallback((onChange: () => void) => queries.getQueryCache().subscribe(onChange), [queries]);
  return useSyncExternalStore(subscribe, () => findStaleSince(queries));
}

function findStaleSince(queries: QueryClient): number | undefined {
  const stale = queries
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ state }) => state.data !== undefined && state.error instanceof NoAnswerError);
  return stale.length === 0 ? undefined : Math.min(...stale.map(({ state }) => state.dataUpdatedAt));
}
