/** Who is signed in, and whether this person may make the request now. */
import type { FastifyRequest } from 'fastify';
import type { Role } from '../../domain/access/role.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { findSession, isCsrfTokenOf, type OperatorSession, sessionEnded } from '../../operations/access/operator-session.ts';
import { requireRole } from '../../operations/with-role.ts';
import type { OperatorApiTools } from '../app.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import type { OperatorRoute } from '../route.ts';

/** The greatest age of a sign-in for a route with `needsRecentSignIn`; later the person gives the password or a passkey again. */
const RECENT_SIGN_IN_MS = 10 * 60_000;

/** What a page asks for by itself, to show what is new, keeps no session alive. */
const REFRESH_HEADER = 'x-refresh';

/** Throws `unauthorized` without a session, `forbidden` without its token, in a lower role, and for a sign-in that is too long ago. */
export async function requireSession(
  request: FastifyRequest,
  route: OperatorRoute,
  tools: OperatorApiTools,
): Promise<OperatorSession> {
  const token = readSessionCookie(request, tools.environment);
  if (token === undefined) throw sessionEnded();
  const session = await findSession(tools, token, { isActivity: request.headers[REFRESH_HEADER] === undefined });
  if (route.method !== 'GET' && !isCsrfTokenOf(session, request.headers['x-csrf-token'])) throw tokenMissing();
  const { operatorId, role } = session.operator;
  if (route.leastRole !== 'nobody')
    requireRole({ operatorId, role, correlationId: request.context.correlationId }, route.leastRole);
  if (route.needsRecentSignIn && session.signedInForMs > RECENT_SIGN_IN_MS) throw signInTooOld();
  return session;
}

/**
 * Requires of a request that takes minutes that its session still exists, and that its operator still has the role.
 *
 * @throws ServiceError `unauthorized`, `forbidden`.
 */
export async function requireStillSignedIn(request: FastifyRequest, leastRole: Role, tools: OperatorApiTools): Promise<void> {
  const token = readSessionCookie(request, tools.environment) ?? '';
  const { operatorId, role } = (await findSession(tools, token, { isActivity: true })).operator;
  requireRole({ operatorId, role, correlationId: request.context.correlationId }, leastRole);
}

function tokenMissing(): ServiceError {
  const message = 'X-CSRF-Token must be the csrf_token of GET /operator/v1/session.';
  return new ServiceError('forbidden', message, { details: [{ field: 'X-CSRF-Token', code: 'wrong_form', message }] });
}

function signInTooOld(): ServiceError {
  const message =
    'This needs a sign-in of the last 10 minutes. Give the password or a passkey again: POST /operator/v1/session/again, or /operator/v1/session/again/passkey.';
  return new ServiceError('forbidden', message, { details: [{ field: 'session', code: 'sign_in_again', message }] });
}
