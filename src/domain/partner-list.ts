import type { DetailCode } from './detail-codes.ts';
import { isLongIdentifier, isShortIdentifier } from './identifiers.ts';
import { isPoints } from './points.ts';
import { type ErrorDetail, ServiceError } from './service-error.ts';

/** What a partner's own list says of one contribution. @see settlements, section 2, Reconciliation. */
export interface ListedContribution {
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  /** Whole points, 1 to 2^63 - 1. */
  readonly points: bigint;
}

/** The columns of a CSV list, the members of each object of a JSON list. Others are passed over, and never kept. */
export const LIST_FIELDS = ['partner_event_id', 'partner_order_ref', 'points'] as const;

export type ListField = (typeof LIST_FIELDS)[number];

/** One line of a list: what it says, or what is wrong with it, told apart by `problems`. */
export type ListEntry = {
  /** CSV: the line of the file where the record begins, the header row being 1. JSON: the place in the array, from 1. */
  readonly lineNo: number;
} & (
  | { readonly listed: ListedContribution; readonly problems: null }
  | { readonly listed: null; readonly problems: readonly ErrorDetail[] }
);

/** What a list may be at most, and how long one of its lines. */
export interface ListLimits {
  readonly lines: number;
  readonly bytes: number;
  readonly lineCharacters: number;
}

/** @see settlements, section 2, Reconciliation: up to 1 000 000 lines or 100 MiB. */
export const LIST_LIMITS: ListLimits = { lines: 1_000_000, bytes: 100 * 1024 * 1024, lineCharacters: 16 * 1024 };

/**
 * One line of a list, from the values of its fields: numbers as `readJson` gives them, or every value as the text of a cell.
 *
 * @returns All problems of the line where there are any; they never repeat a value, which may be personal.
 */
export function readListLine(lineNo: number, values: Readonly<Record<ListField, unknown>>): ListEntry {
  const { partner_event_id: partnerEventId, partner_order_ref: partnerOrderRef } = values;
  const points = typeof values.points === 'string' ? readPointsCell(values.points) : values.points;
  if (isLongIdentifier(partnerEventId) && isShortIdentifier(partnerOrderRef) && isPoints(points))
    return { lineNo, listed: { partnerEventId, partnerOrderRef, points }, problems: null };
  const problems = [
    !isLongIdentifier(partnerEventId) && describe('partner_event_id', partnerEventId, identifierForm(8)),
    !isShortIdentifier(partnerOrderRef) && describe('partner_order_ref', partnerOrderRef, identifierForm(1)),
    !isPoints(points) && describe('points', values.points, 'a whole number from 1 to 9223372036854775807'),
  ].filter((problem) => problem !== false);
  return { lineNo, listed: null, problems };
}

/** A line that cannot be read at all. */
export function unreadableLine(lineNo: number, message: string): ListEntry {
  return { lineNo, listed: null, problems: [{ field: 'line', code: 'unreadable', message }] };
}

/** A list that is refused as a whole. */
export function refuseList(code: DetailCode, message: string, status?: number): ServiceError {
  return new ServiceError('invalid_request', message, { details: [{ field: 'list', code, message }], ...(status && { status }) });
}

/** A list that is larger than it may be: 413, and the limit is named. */
export function listTooLarge(code: 'too_many_lines' | 'too_many_bytes', limit: string): ServiceError {
  return refuseList(code, `A list has ${limit} at most; send it in parts.`, 413);
}

/** A line beyond any that is well formed; what follows it is not looked for. */
export function lineTooLong(lineNo: number, { lineCharacters }: ListLimits): ServiceError {
  return refuseList('line_too_long', `Line ${lineNo} of the list has more than ${lineCharacters} characters.`);
}

/** `"250"` is `250n`. Signs, blanks, leading zeros, separators and decimals are no form of points. */
function readPointsCell(cell: string): bigint | undefined {
  return /^[1-9]\d{0,18}$/.test(cell) ? BigInt(cell) : undefined;
}

function identifierForm(minLength: number): string {
  return `a text of ${minLength} to 128 characters out of A-Z a-z 0-9 . _ : -`;
}

function describe(field: ListField, value: unknown, form: string): ErrorDetail {
  const isMissing = value === undefined || value === null || value === '';
  return isMissing
    ? { field, code: 'missing', message: `${field} is missing.` }
    : { field, code: 'wrong_form', message: `${field} must be ${form}.` };
}
