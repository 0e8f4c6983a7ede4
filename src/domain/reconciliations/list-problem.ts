import type { DetailCode } from '../detail-codes.ts';
import type { ErrorDetail } from '../service-error.ts';
import type { LineType } from '../settlements/settlement-line.ts';

/**
 * A problem of a line of a partner's list, without a sentence: a list may have a million such lines, so each stored problem is small.
 */
export interface ListProblem {
  readonly field: string;
  readonly code: DetailCode;
  /** The sentence of lines that were stored with one. */
  readonly message?: string;
}

/** Why a list failed of which the rest never came. */
export const LIST_NOT_ENDED = 'The list did not come to its end. Send it again, under the same key or another.';

const LONG_FORM = identifierForm(8);
const FORMS: Readonly<Record<string, string>> = {
  partner_event_id: LONG_FORM,
  partner_order_ref: identifierForm(1),
  adjustment_id: LONG_FORM,
  original_settlement_id: LONG_FORM,
  line_type: 'contribution, adjustment or carried_forward',
};
const POINTS_FORMS: Readonly<Record<LineType | 'own', string>> = {
  own: 'a whole number from 0 to 9223372036854775807',
  contribution: 'a whole number from 1 to 9223372036854775807',
  adjustment: 'a whole number from -9223372036854775807 to 9223372036854775807',
  carried_forward: 'a whole number, 0 or negative',
};
/** What is said of points of a certain form, instead of the form that they must have. */
const POINTS_SENTENCES: Readonly<Partial<Record<DetailCode, string>>> = {
  too_large: 'points must be at most 9223372036854775807.',
  not_whole: 'points must be a whole number, without decimals.',
  other_digits: 'points must be in the digits 0 to 9.',
  separators: 'points must be without separators of thousands.',
  wrong_type: 'points must be a JSON number, without quotation marks.',
};

/** What is said of a line as a whole. */
const LINE_SENTENCES: Readonly<Partial<Record<DetailCode, string>>> = {
  unreadable: 'An element must be a well-formed JSON object without repeated members.',
  too_many_values:
    'The line has more values than the header row has columns. A value that contains the separator must be in quotation marks.',
};

/**
 * The problem with its sentence, which is written when it is read.
 *
 * @param lineType The type that the line states, in a statement of the service; `null` in a partner's own list.
 */
export function describeListProblem({ field, code, message }: ListProblem, lineType: LineType | null): ErrorDetail {
  if (message !== undefined) return { field, code, message };
  if (field === 'line') return { field, code, message: LINE_SENTENCES[code] ?? 'The line cannot be read.' };
  if (code === 'missing') return { field, code, message: `${field} is missing.` };
  const sentence = field === 'points' ? POINTS_SENTENCES[code] : undefined;
  if (sentence !== undefined) return { field, code, message: sentence };
  const form = field === 'points' ? POINTS_FORMS[lineType ?? 'own'] : FORMS[field];
  return { field, code, message: `${field} must be ${form ?? 'well formed'}.` };
}

/** `a text of 8 to 128 characters …` */
function identifierForm(minLength: number): string {
  return `a text of ${minLength} to 128 characters out of A-Z a-z 0-9 . _ : -`;
}
