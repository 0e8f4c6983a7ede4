import { ServiceError } from '../domain/service-error.ts';

const NOTE_MAX = 500;

/** Throws `invalid_request` unless an operator says why in 1 to 500 characters. */
export function requireNote(note: string): void {
  if (note.trim().length >= 1 && note.length <= NOTE_MAX) return;
  const message = `reason must have 1 to ${NOTE_MAX} characters.`;
  throw new ServiceError('invalid_request', message, { details: [{ field: 'reason', code: 'wrong_length', message }] });
}
