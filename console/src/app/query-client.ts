import { notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, NoAnswerError } from '../api/api-error.ts';
import type { SessionAnswer } from '../session/session-answer.ts';
import { isOfOperator, SESSION_KEY } from '../session/session-gate.tsx';

/** A view that is open is read again so often. */
export const LIVE_MS = 15_000;

export function createQueryClient(): QueryClient {
  const endSession = (error: Error) => {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    // Of a request before a new sign-in, it says nothing of the new session.
    void queries.refetchQueries({ queryKey: SESSION_KEY });
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
        // After a minute without an answer the person is told so, and it is read again with the next turn.
        retry: (failures, error) => error instanceof NoAnswerError && !error.isTimeout && failures < 2,
      },
      // Otherwise what is sent without a network waits, and is sent when there is one: after its dialog was cancelled, too.
      mutations: { networkMode: 'always', retry: false },
    },
  });
  forgetWithOperator(queries);
  return queries;
}

/** Another operator, who signs in here or in another tab, sees nothing that was read for the one before, nor what failed for them. */
function forgetWithOperator(queries: QueryClient): void {
  let operatorId: string | undefined;
  queries.getQueryCache().subscribe(({ query }) => {
    if (isOfOperator(query)) return;
    const now = (query.state.data as SessionAnswer | null | undefined)?.operator.operator_id;
    if (now === undefined || now === operatorId) return;
    if (operatorId !== undefined) {
      queries.removeQueries({ predicate: isOfOperator });
      notifications.clean();
    }
    operatorId = now;
  });
}
