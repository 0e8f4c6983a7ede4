import type { DetailCode } from '../detail-codes.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import type { LineType } from '../settlements/settlement-line.ts';

/** Longer texts are not looked at, whatever they are. */
const CHARACTERS_MAX = 40;

/** `5,056` or `1 000 000.00`, `1.000.000` or `5.056,00`. */
const SEPARATED = [/^-?\d{1,3}(?:,\d{2})*(?:[,'’\s]\d{3})+(?:\.\d*)?$/, /^-?\d{1,3}(?:\.\d{3})+(?:\.\d{3}|,\d*)$/];
const DECIMAL = /^-?\d+[.,]\d*$/;
const ANY_DIGITS = /^[-+]?[\p{Nd}.,'’\s٬٫]+$/u;
const OTHER_DIGIT = /(?!\d)\p{Nd}/u;

/**
 * Why a value is no number of points, as precisely as can be said without the value, which may be personal: above the most, a number of
 * another form, no number in a JSON list, or `wrong_form` for anything else.
 *
 * @param value As `readJson` gives it, `NaN` for a string of a JSON list, or the text of a cell.
 * @param lineType The type that a line of a statement states.
 */
export function pointsProblem(value: unknown, lineType: LineType | undefined): DetailCode {
  // What is carried forward is never above 0: the sentence of `wrong_form` says so, and the others would not.
  if (lineType === 'carried_forward') return 'wrong_form';
  if (typeof value === 'bigint') return value > POINTS_MAX ? 'too_large' : 'wrong_form';
  if (typeof value === 'number') return numberProblem(value);
  return typeof value === 'string' ? textProblem(value) : 'wrong_type';
}

function numberProblem(value: number): DetailCode {
  if (Number.isNaN(value)) return 'wrong_type';
  if (value > POINTS_MAX) return 'too_large';
  return Number.isFinite(value) && !Number.isInteger(value) ? 'not_whole' : 'wrong_form';
}

function textProblem(text: string): DetailCode {
  if (/^[1-9]\d*$/.test(text)) return text.length > CHARACTERS_MAX || BigInt(text) > POINTS_MAX ? 'too_large' : 'wrong_form';
  if (text.length > CHARACTERS_MAX) return 'wrong_form';
  if (OTHER_DIGIT.test(text) && ANY_DIGITS.test(text)) return 'other_digits';
  if (SEPARATED.some((form) => form.test(text))) return 'separators';
  return DECIMAL.test(text) ? 'not_whole' : 'wrong_form';
}
