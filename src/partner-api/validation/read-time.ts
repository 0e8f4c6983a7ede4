import { parseIsoTime } from '../../domain/iso-time.ts';
import { ServiceError } from '../../domain/service-error.ts';

/** A zone such as +03:00 whose sign was not escaped in an address. */
const PLUS_AS_SPACE = /\d \d\d:?\d\d$/;

/** An ISO 8601 time with its zone, if one was sent. Throws `invalid_request`. */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseIsoTime(text);
  if (at) return at;
  const form = `${field} must be a time of ISO 8601 with its zone, such as 2026-11-20T19:29:00.000Z.`;
  const message = PLUS_AS_SPACE.test(text) ? `${form} In an address, write + as %2B.` : form;
  throw new ServiceError('invalid_request', message, { details: [{ field, code: 'wrong_form', message }] });
}
