import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { invalidRequest, problem, type ServiceError } from '../../domain/service-error.ts';
import type { PageAddress } from '../../operations/access/passkey.ts';

/**
 * The address of the page that asks. Its host is one of those that the listener answers to, and its origin the same (`own-pages.ts`).
 *
 * @throws ServiceError `invalid_request` where a browser has no passkeys: an address of digits has none, and a program no page.
 */
export function pageAddressOf({ headers }: FastifyRequest): PageAddress {
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) throw refusal();
  const rpId = new URL(origin).hostname;
  if (isIP(rpId.replace(/^\[|\]$/g, '')) !== 0) throw refusal();
  return { rpId, origin };
}

function refusal(): ServiceError {
  const message = 'Passkeys need the console at a host name, such as localhost or a name in OPERATIONS_NAMES.';
  return invalidRequest([problem('Origin', 'unsupported_value', message)]);
}
