import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, NoAnswerError } from '../api/api-error.ts';
import { SESSION_KEY } from '../session/session-gate.tsx';

/** A view that is open is read again so often. */
export const LIVE_MS = 15_000;

export function createQueryClient(): QueryClient {
  const endSession = (error: Error) => {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    queries.setQueryData(SESSION_KEY, (before: unknown) => (before ? null : before));
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: endSession }),
    // A wrong password ends no session.
    mutationCache: new MutationCache({
      onError: (error, _input, _result, { meta }) => {
        if (!meta?.['isSignIn']) endSession(error);
      },
    }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 2_000,
        refetchInterval: LIVE_MS,
        retry: (failures, error) => error instanceof NoAnswerError && failures < 2,
      },
      // Otherwise what is sent without a network waits, and is sent when there is one: after its dialog was cancelled, too.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return queries;
}
