import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../domain/service-error.ts';

const READS = ['GET', 'HEAD'];

/**
 * Only pages of this host may ask, whatever they ask for: a browser says where a request comes from, and other programs say nothing. What
 * a program that says nothing may do is the affair of its session and of the token in `X-CSRF-Token`.
 *
 * @throws ServiceError `forbidden`
 */
export function requireOwnPage({ headers, method }: FastifyRequest): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  // `none` is an address that the person typed, or a bookmark.
  const isOwnSite = site === undefined || site === 'same-origin' || (site === 'none' && READS.includes(method));
  if (!isOwnSite || (origin !== undefined && !isOwnOrigin(origin, host))) throw otherPage();
}

function isOwnOrigin(origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: sender, hostname } = new URL(origin);
  if (host === undefined || !URL.canParse(`${protocol}//${host}`)) return false;
  // Over the network the page itself must have come over https.
  const isCarriedSafely = protocol === 'https:' || (protocol === 'http:' && isThisMachine(hostname));
  return isCarriedSafely && sender === new URL(`${protocol}//${host}`).host;
}

function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

function otherPage(): ServiceError {
  const message = 'The request comes from a page of another site. Open the console at the address of this service.';
  return new ServiceError('forbidden', message, { details: [{ field: 'Origin', code: 'other_origin', message }] });
}
