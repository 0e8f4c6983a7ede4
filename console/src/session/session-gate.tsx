/** Shows the console to who is signed in, and the sign-in to everybody else. The address stays, so that a sign-in leads back to it. */
import { type Query, type QueryClient, QueryObserver, useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Activity, type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { answerOf, client, keepSession } from '../api/client.ts';
import { useHeldOfHidden } from '../app/unsaved.ts';
import { LeaveGuard } from '../layout/leave-dialog.tsx';
import { Failure, Loading } from '../parts/state.tsx';
import { ChoosePassword } from './choose-password.tsx';
import { type Session, SessionContext } from './session.tsx';
import type { SessionAnswer } from './session-answer.ts';
import { SignIn } from './sign-in.tsx';
import { StepUpProvider } from './step-up.tsx';

export const SESSION_KEY = ['session'] as const;

/** `null` for nobody. */
type Known = SessionAnswer | null;

/** What is read for whoever is signed in. */
export function isOfOperator({ queryKey }: Pick<Query, 'queryKey'>): boolean {
  return queryKey[0] !== SESSION_KEY[0];
}

export async function readSession({ signal }: { readonly signal: AbortSignal }): Promise<Known> {
  try {
    const session = await answerOf(client.GET('/operator/v1/session'));
    if (!signal.aborted) keepSession(session);
    return session;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** An answer that is still on its way is of the session before: it would end the one that begins. */
export function beginSession(queries: QueryClient, opened: SessionAnswer): void {
  keepSession(opened);
  void queries.cancelQueries({ queryKey: SESSION_KEY });
  queries.setQueryData<Known>(SESSION_KEY, opened);
}

/**
 * A page whose session ends stays as it is behind the sign-in, with what is typed into it, which is not lost unasked: whoever comes back goes
 * on, and another operator begins anew.
 */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const session = useQuery<Known>({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: Number.POSITIVE_INFINITY });
  const known = session.data;
  const [held, setHeld] = useState<SessionAnswer>();
  if (known && known !== held) setHeld(known);
  // What is under way ends first: its dialog would not hear of it behind the sign-in.
  const isChanging = useIsMutating({ predicate: ({ meta }) => !meta?.['isSignIn'] }) > 0;
  const hasEnded = held !== undefined && known === null && !isChanging;
  useHeldRecords(hasEnded);
  useHeldOfHidden(hasEnded);
  useAddressOfHidden(hasEnded);
  const begin = (opened: SessionAnswer) => {
    beginSession(queries, opened);
    void queries.invalidateQueries({ predicate: isOfOperator });
  };
  const readAgain = useCallback(() => void queries.refetchQueries({ queryKey: SESSION_KEY }), [queries]);
  const value = useMemo(() => held && toSession(held, () => queries.clear()), [held, queries]);
  if (location.pathname === '/sign-in') return <ChoosePassword onSignedIn={begin} />;
  // What is typed into an open page outlives a service that does not answer for a while.
  if (known === undefined)
    return session.error ? <Failure error={session.error} onRetry={() => void session.refetch()} /> : <Loading />;
  if (!held) return <SignIn hasEnded={false} onSignedIn={begin} />;
  return (
    <>
      {hasEnded && (
        <LeaveGuard isSignIn>
          <SignIn hasEnded onSignedIn={begin} />
        </LeaveGuard>
      )}
      {/* Hidden, a page keeps what is typed into it and does nothing: it reads nothing again and hears no key. */}
      <Activity mode={hasEnded ? 'hidden' : 'visible'}>
        <SessionContext key={held.operator.operator_id} value={value}>
          <StepUpProvider
            hasPassword={held.has_password}
            hasPasskey={held.has_passkey}
            hasEnded={known === null}
            onOpen={readAgain}
            onSignedIn={begin}
          >
            {children}
          </StepUpProvider>
        </SessionContext>
      </Activity>
    </>
  );
}

/** Of an address that changes while its page is hidden, such as by Back, the router hears nothing: it reads it as the page is shown again. */
function useAddressOfHidden(isHidden: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isHidden) return;
    const { href } = router.history.location;
    return () => {
      if (router.history.location.href !== href) void router.load();
    };
  }, [isHidden, router]);
}

/** Nobody looks at the records of a hidden page: without this they would be forgotten after minutes, and the forms that need them with them. */
function useHeldRecords(isHeld: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isHeld) return;
    const all = queries.getQueryCache().getAll();
    const releases = all.map(({ queryKey }) => new QueryObserver(queries, { queryKey, enabled: false }).subscribe(() => {}));
    return () => {
      for (const release of releases) release();
    };
  }, [isHeld, queries]);
}

function toSession({ operator, environment, event_days: eventDays }: SessionAnswer, forget: () => void): Session {
  return {
    operator: { operatorId: operator.operator_id, name: operator.name, role: operator.role },
    environment,
    eventDays,
    async signOut() {
      await answerOf(client.DELETE('/operator/v1/session'));
      forget();
      location.assign('/');
    },
  };
}
