/** Shows the console to who is signed in, and the sign-in to everybody else. The address stays, so that a sign-in leads back to it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo } from 'react';
import { ApiError } from '../api/api-error.ts';
import { answerOf, client, keepCsrfToken } from '../api/client.ts';

import { Failure, Loading } from '../parts/state.tsx';
import { ChoosePassword } from './choose-password.tsx';
import { type Session, SessionContext } from './session.tsx';
import type { SessionAnswer } from './session-answer.ts';
import { SignIn } from './sign-in.tsx';
import { StepUpProvider } from './step-up.tsx';

export const SESSION_KEY = ['session'] as const;

/** `null` for nobody; `'ended'` for whose session has ended while the page was open. */
type Known = SessionAnswer | 'ended' | null;

export async function readSession(): Promise<Known> {
  try {
    const session = await answerOf(client.GET('/operator/v1/session'));
    keepCsrfToken(session.csrf_token);
    return session;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const session = useQuery<Known>({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: Number.POSITIVE_INFINITY });
  const begin = (opened: SessionAnswer) => {
    keepCsrfToken(opened.csrf_token);
    queries.setQueryData<Known>(SESSION_KEY, opened);
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  };
  const readAgain = useCallback(() => void queries.refetchQueries({ queryKey: SESSION_KEY }), [queries]);
  const known = session.data;
  const [hasPassword, hasPasskey] = isSession(known) ? [known.has_password, known.has_passkey] : [false, false];
  const value = useMemo(() => (isSession(known) ? toSession(known, () => queries.clear()) : undefined), [known, queries]);
  if (location.pathname === '/sign-in') return <ChoosePassword onSignedIn={begin} />;
  // What is typed into an open page outlives a service that does not answer for a while.
  if (known === undefined)
    return session.error ? <Failure error={session.error} onRetry={() => void session.refetch()} /> : <Loading />;
  if (!value) return <SignIn hasEnded={known === 'ended'} onSignedIn={begin} />;
  return (
    <SessionContext value={value}>
      <StepUpProvider hasPassword={hasPassword} hasPasskey={hasPasskey} onOpen={readAgain} onSignedIn={begin}>
        {children}
      </StepUpProvider>
    </SessionContext>
  );
}

function isSession(known: Known | undefined): known is SessionAnswer {
  return typeof known === 'object' && known !== null;
}

function toSession({ operator, environment }: SessionAnswer, forget: () => void): Session {
  return {
    operator: { operatorId: operator.operator_id, name: operator.name, role: operator.role },
    environment,
    async signOut() {
      await answerOf(client.DELETE('/operator/v1/session'));
      forget();
      location.assign('/');
    },
  };
}
