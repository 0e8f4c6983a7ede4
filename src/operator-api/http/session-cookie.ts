import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../domain/access/api-key.ts';

/**
 * `__Host-` binds the cookie to this host and to `Secure`: no other host of the domain can set it. Browsers send a `Secure` cookie over
 * plain http to this machine itself (`localhost`, 127.0.0.1), and to no other. A cookie knows no port, so the consoles of both environments
 * on one host have a name each: a sign-in at one is no sign-out at the other.
 */
export const COOKIE_NAMES: Readonly<Record<Environment, string>> = {
  production: '__Host-partner-impact-operator',
  sandbox: '__Host-partner-impact-operator-sandbox',
};
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export function readSessionCookie({ headers }: FastifyRequest, environment: Environment): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name = '', value] = part.trim().split('=', 2);
    if (name === COOKIE_NAMES[environment] && value) return value;
  }
  return undefined;
}

export function setSessionCookie(reply: FastifyReply, environment: Environment, token: string): void {
  reply.header('set-cookie', `${COOKIE_NAMES[environment]}=${token}; ${ATTRIBUTES}`);
}

export function clearSessionCookie(reply: FastifyReply, environment: Environment): void {
  reply.header('set-cookie', `${COOKIE_NAMES[environment]}=; ${ATTRIBUTES}; Max-Age=0`);
}
