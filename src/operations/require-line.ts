import { invalidRequest } from '../domain/service-error.ts';
import { checkLine, REASON_CHARACTERS_MAX, whyRefused } from '../domain/single-line-text.ts';

const NAME_CHARACTERS_MAX = 200;

/** Throws `invalid_request` unless the reason is a line of 1 to {@link REASON_CHARACTERS_MAX} characters. */
export function requireReason(reason: string): void {
  requireLine('reason', reason, REASON_CHARACTERS_MAX);
}

/** Throws `invalid_request` unless the name is a line of 1 to {@link NAME_CHARACTERS_MAX} characters. */
export function requireName(name: string): void {
  requireLine('name', name, NAME_CHARACTERS_MAX);
}

function requireLine(field: string, text: string, charactersMax: number): void {
  const problem = checkLine(field, text, charactersMax);
  if (problem) throw invalidRequest([{ ...problem, code: whyRefused(text, charactersMax) }]);
}
