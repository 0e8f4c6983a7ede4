import { parseIsoTime } from '../../domain/iso-time.ts';
import { ServiceError } from '../../domain/service-error.ts';

/** An ISO 8601 time with its zone, if one was sent. Throws `invalid_request`. */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseIsoTime(text);
  if (at) return at;
  const message = `${field} must be a time of ISO 8601 with its zone, such as 2026-11-20T19:29:00.000Z.`;
  throw new ServiceError('invalid_request', message, { details: [{ field, code: 'wrong_form', message }] });
}
