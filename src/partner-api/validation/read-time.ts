import { parseIsoTime } from '../../domain/iso-time.ts';
import { invalidRequest, problem } from '../../domain/service-error.ts';

export const TIME_FORM = 'a time of ISO 8601 with its zone, such as 2026-11-20T19:29:00.000Z';

/** The hint for a zone such as +03:00 whose sign was not escaped in an address; empty for any other value. */
export function hintAtPlus(value: unknown): string {
  return typeof value === 'string' && /\d \d\d:?\d\d$/.test(value) ? ' In an address, write + as %2B.' : '';
}

/** An ISO 8601 time with its zone, if one was sent. Throws `invalid_request`. */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = parseIsoTime(text);
  if (at) return at;
  const message = `${field} must be ${TIME_FORM}.${hintAtPlus(text)}`;
  throw invalidRequest([problem(field, 'wrong_form', message)]);
}
