/** Who is signed in. Everything inside the shell may count on it. */
import { createContext, useContext } from 'react';

export type Role = 'viewer' | 'operator' | 'approver' | 'admin';

export interface Session {
  readonly operator: { readonly operatorId: string; readonly name: string; readonly role: Role };
  readonly environment: 'sandbox' | 'production';
  /** After so many days an event is removed, with its deliveries and attempts; `undefined` where a process of a release before it answered. */
  readonly eventDays: number | undefined;
  signOut(): Promise<void>;
}

export const SessionContext = createContext<Session | undefined>(undefined);

const ROLES: readonly Role[] = ['viewer', 'operator', 'approver', 'admin'];

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This part of the console is for who is signed in.');
  return session;
}

/** Whether the role of the reader includes this one. The service decides again. */
export function useMay(least: Role): boolean {
  return ROLES.indexOf(useSession().operator.role) >= ROLES.indexOf(least);
}
