import { ServiceError } from '../../domain/service-error.ts';

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** An ISO 8601 time with its zone, if one was sent. Throws `invalid_request`. */
export function readTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const at = new Date(isDay(TIME.exec(text)?.[1]) ? text : Number.NaN);
  if (!Number.isNaN(at.getTime())) return at;
  const message = `${field} must be a time of ISO 8601 with its zone, such as 2026-11-20T19:29:00.000Z.`;
  throw new ServiceError('invalid_request', message, { details: [{ field, code: 'wrong_form', message }] });
}

/** JavaScript takes 30 February for 2 March. */
function isDay(day: string | undefined): boolean {
  const midnight = new Date(day ?? Number.NaN);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${day}T`);
}
