import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../domain/access/api-key.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { endSession, type OpenedSession, type RequestOfSession } from '../../operations/access/operator-session.ts';
import { signInByCode } from '../../operations/access/sign-in-by-link.ts';
import { changePassword, signInAgain, signInByPassword } from '../../operations/access/sign-in-by-password.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { OperatorApiTools } from '../app.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/session-cookie.ts';
import { type OpenCall, openRoute, operatorRoute } from '../route.ts';
import { closed, flag } from '../schema-parts.ts';
import {
  ChangePasswordBody,
  PasswordBody,
  type ServiceSettings,
  Session,
  SignInBody,
  SignInByCodeBody,
  sessionToWire,
} from './session-schemas.ts';

/** Longer than a request waits for its turn, also on a machine that has more to do. */
const DEADLINE_MS = 30_000;
type Asked = Pick<OpenCall<unknown>, 'tools' | 'request' | 'reply'>;

async function takeTurn<Result>({ tools, request, reply }: Asked, work: () => Promise<Result>): Promise<Result> {
  const { remoteAddress, remotePort } = request.raw.socket;
  const asker = `${remoteAddress} ${remotePort}`;
  return countGuesses(tools, () => tools.shared.signInInTurn({ asker, isWanted: () => !reply.raw.destroyed, work }));
}

/** Counts a sign-in that is refused for what was given. */
export async function countGuesses<Result>(
  { onSignInRefused }: Pick<OperatorApiTools, 'onSignInRefused'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isGuess(error)) onSignInRefused(error.code);
    throw error;
  }
}

/** A right password that lacks the code of the second factor is the first half of a sign-in. */
function isGuess(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || error.details.some(({ code }) => code === 'missing')) return false;
  return error.code === 'unauthorized' || error.code === 'rate_limited';
}

export function requestOf(request: FastifyRequest, environment: Environment): RequestOfSession {
  return { correlationId: request.context.correlationId, formerToken: readSessionCookie(request, environment) };
}

export function beginSession(reply: FastifyReply, { token, session }: OpenedSession, settings: ServiceSettings) {
  setSessionCookie(reply, settings.environment, token);
  return sessionToWire(session, settings);
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
      signInByPassword(tools, { login, password, totp }, requestOf(request, tools.environment)),
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

export const signInOnceMore = operatorRoute({
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
      signInAgain(tools, { operatorId, password, totp }, requestOf(request, tools.environment)),
    );
    return beginSession(reply, opened, tools);
  },
});

export const setPassword = operatorRoute({
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
      changePassword(tools, change, requestOf(request, tools.environment)),
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
