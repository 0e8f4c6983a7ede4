import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../domain/access/api-key.ts';
import type { OpenedSession, RequestOfSession } from '../../operations/access/operator-session.ts';
import { readSessionCookie, setSessionCookie } from '../http/session-cookie.ts';
import { type ServiceSettings, sessionToWire } from './session-schemas.ts';

export function requestOf(request: FastifyRequest, environment: Environment): RequestOfSession {
  return { correlationId: request.context.correlationId, formerToken: readSessionCookie(request, environment) };
}

export function beginSession(reply: FastifyReply, { token, session }: OpenedSession, settings: ServiceSettings) {
  setSessionCookie(reply, settings.environment, token);
  return sessionToWire(session, settings);
}
