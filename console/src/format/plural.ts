/**
 * Counted nouns. Arabic has five forms, chosen over the whole range of int64; for one and two the digit is dropped. A negative number has
 * the form of its size, and its sign stands before it in a text from right to left too. The service has the same rule in
 * `src/domain/numbers/arabic-plural.ts`.
 */
import { isolate } from './isolate.ts';
import { formatWhole } from './points.ts';

/** `[one, two, few, many, other]`; the last three follow the number. */
export type ArabicForms = readonly [one: string, two: string, few: string, many: string, other: string];

export function countEnglish(count: string | number | bigint, one: string, several = `${one}s`): string {
  const number = BigInt(count);
  return `${formatWhole(number)} ${number === 1n ? one : several}`;
}

export function countArabic(count: string | number | bigint, [one, two, few, many, other]: ArabicForms): string {
  const number = BigInt(count);
  if (number === 1n) return one;
  if (number === 2n) return two;
  const size = number < 0n ? -number : number;
  const rest = size % 100n;
  const noun = rest >= 3n && rest <= 10n ? few : rest >= 11n ? many : other;
  const digits = formatWhole(number);
  return `${number < 0n ? isolate(digits) : digits} ${noun}`;
}
