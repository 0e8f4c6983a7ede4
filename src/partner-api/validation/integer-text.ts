import { INT64_MAX } from '../../domain/numbers/int64.ts';

/** The bounds of an integer in a schema; the default maximum is that of int64. */
export interface IntegerBounds {
  readonly minimum: number;
  readonly maximum?: number;
}

/** The one spelling of a number: digits, without sign, blanks or leading zeros. */
const DIGITS = /^(?:0|[1-9]\d*)$/;
/** The digits of the largest int64. A longer text is not read as a number. */
const DIGITS_MAX = 19;

/** Whether the text of a query's member is a whole number within the bounds. */
export function isIntegerText(text: string, bounds: IntegerBounds): boolean {
  return integerProblem(text, bounds) === undefined;
}

/** What is wrong with the text, as a code of `error.details`; `undefined` for an integer within the bounds. */
export function integerProblem(
  text: string,
  { minimum, maximum }: IntegerBounds,
): 'wrong_form' | 'too_small' | 'too_large' | undefined {
  if (!DIGITS.test(text)) return 'wrong_form';
  if (text.length > DIGITS_MAX || BigInt(text) > largest(maximum)) return 'too_large';
  return BigInt(text) < BigInt(minimum) ? 'too_small' : undefined;
}

/** The problem in words. */
export function describeBounds({ minimum, maximum }: IntegerBounds): string {
  return `a whole number from ${minimum} to ${largest(maximum)} in plain digits`;
}

function largest(maximum: number | undefined): bigint {
  return maximum === undefined ? INT64_MAX : BigInt(maximum);
}
