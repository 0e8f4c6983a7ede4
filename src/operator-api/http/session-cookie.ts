import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * `__Host-` binds the cookie to this host and to `Secure`: no other host of the domain can set it. Browsers send a `Secure` cookie over
 * plain http to this machine itself (`localhost`, 127.0.0.1), and to no other.
 */
const NAME = '__Host-partner-impact-operator';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export function readSessionCookie({ headers }: FastifyRequest): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name = '', value] = part.trim().split('=', 2);
    if (name === NAME && value) return value;
  }
  return undefined;
}

export function setSessionCookie(reply: FastifyReply, token: string): void {
  reply.header('set-cookie', `${NAME}=${token}; ${ATTRIBUTES}`);
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', `${NAME}=; ${ATTRIBUTES}; Max-Age=0`);
}
