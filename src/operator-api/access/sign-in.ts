import { endSession } from '../../operations/access/operator-session.ts';
import { signInByCode } from '../../operations/access/sign-in-by-link.ts';
import * as operations from '../../operations/access/sign-in-by-password.ts';
import { Type } from '../../partner-api/schema-type.ts';
import { clearSessionCookie, readSessionCookie } from '../http/session-cookie.ts';
import { type OpenCall, openRoute, operatorRoute } from '../route.ts';
import { closed, flag } from '../schema-parts.ts';
import { beginSession, requestOf } from './begin-session.ts';
import { countGuesses } from './count-guesses.ts';
import { ChangePasswordBody, PasswordBody, Session, SignInBody, SignInByCodeBody, sessionToWire } from './session-schemas.ts';

/** Longer than a request waits for its turn, also on a machine that has more to do. */
const DEADLINE_MS = 30_000;
type Asked = Pick<OpenCall<unknown>, 'tools' | 'request' | 'reply'>;

async function takeTurn<Result>({ tools, request, reply }: Asked, work: () => Promise<Result>): Promise<Result> {
  const { remoteAddress, remotePort } = request.raw.socket;
  const asker = `${remoteAddress} ${remotePort}`;
  return countGuesses(tools, () => tools.shared.signInInTurn({ asker, isWanted: () => !reply.raw.destroyed, work }));
}

export const signIn = openRoute({
  operation: 'signIn',
  method: 'POST',
  path: '/operator/v1/session',
  tag: 'Sign-in',
  summary: 'Sign in with a password',
  description:
    'Sets the cookie of the session. After five wrong passwords in a row the operator waits, a minute at first and 15 minutes at most. If the operator has a second factor and `totp` is missing, the answer is `unauthorized` with the detail `totp`, `missing`.',
  deadlineMs: DEADLINE_MS,
  body: SignInBody,
  answer: Session,
  async handle({ tools, request, reply, body: { login, password, totp } }) {
    const opened = await takeTurn({ tools, request, reply }, () =>
      operations.signInByPassword(tools, { login, password, totp }, requestOf(request, tools.environment)),
    );
    return beginSession(reply, opened, tools);
  },
});

export const signInWithLink = openRoute({
  operation: 'signInWithLink',
  method: 'POST',
  path: '/operator/v1/session/link',
  tag: 'Sign-in',
  summary: 'Sign in with a one-time link, and set a password',
  description: 'The code of the link works once, for a day. It replaces the password and ends all sessions of the operator.',
  deadlineMs: DEADLINE_MS,
  body: SignInByCodeBody,
  answer: Session,
  async handle({ tools, request, reply, body: { code, password, totp } }) {
    const opened = await takeTurn({ tools, request, reply }, () =>
      signInByCode(tools, { code, password, totp }, requestOf(request, tools.environment)),
    );
    return beginSession(reply, opened, tools);
  },
});

export const getSession = operatorRoute({
  operation: 'getSession',
  method: 'GET',
  path: '/operator/v1/session',
  tag: 'Sign-in',
  summary: 'Show who is signed in',
  leastRole: 'viewer',
  answer: Session,
  handle: async ({ session, tools }) => sessionToWire(session, tools),
});

export const signInAgain = operatorRoute({
  operation: 'signInAgain',
  method: 'POST',
  path: '/operator/v1/session/again',
  tag: 'Sign-in',
  summary: 'Give the password again',
  description: 'Before an operation that needs a sign-in of the last 10 minutes. The session gets a new cookie and a new token.',
  leastRole: 'viewer',
  deadlineMs: DEADLINE_MS,
  body: PasswordBody,
  answer: Session,
  async handle({ tools, request, reply, actor: { operatorId }, body: { password, totp } }) {
    const opened = await takeTurn({ tools, request, reply }, () =>
      operations.signInAgain(tools, { operatorId, password, totp }, requestOf(request, tools.environment)),
    );
    return beginSession(reply, opened, tools);
  },
});

export const changePassword = operatorRoute({
  operation: 'changePassword',
  method: 'POST',
  path: '/operator/v1/session/password',
  tag: 'Sign-in',
  summary: 'Change the own password',
  description: 'All other sessions of the operator end.',
  leastRole: 'viewer',
  deadlineMs: DEADLINE_MS,
  body: ChangePasswordBody,
  answer: Session,
  async handle({ tools, request, reply, actor: { operatorId }, body: { password, new_password: newPassword, totp } }) {
    const change = { operatorId, password, newPassword, totp };
    const opened = await takeTurn({ tools, request, reply }, () =>
      operations.changePassword(tools, change, requestOf(request, tools.environment)),
    );
    return beginSession(reply, opened, tools);
  },
});

export const signOut = operatorRoute({
  operation: 'signOut',
  method: 'DELETE',
  path: '/operator/v1/session',
  tag: 'Sign-in',
  summary: 'Sign out',
  leastRole: 'viewer',
  answer: Type.Object({ signed_out: flag('Always `true`.') }, closed),
  async handle({ tools, request, reply }) {
    const token = readSessionCookie(request, tools.environment) as string;
    await endSession(tools, token, request.context.correlationId);
    clearSessionCookie(reply, tools.environment);
    return { signed_out: true };
  },
});
