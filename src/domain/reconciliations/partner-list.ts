import type { DetailCode } from '../detail-codes.ts';
import { isLongIdentifier, isShortIdentifier } from '../identifiers.ts';
import { POINTS_MAX } from '../numbers/points.ts';
import { ServiceError } from '../service-error.ts';
import { LINE_TYPES, type LineType } from '../settlements/settlement-line.ts';
import type { ListLimits } from './list-limits.ts';
import type { ListProblem } from './list-problem.ts';
import { pointsProblem } from './points-problem.ts';

/**
 * One contribution in a partner's own list.
 *
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export interface ListedContribution {
  readonly partnerEventId: string;
  readonly partnerOrderRef: string;
  /** Whole points, 0 to 2^63 - 1: gross, or net of adjustments, which may have taken all of them back. */
  readonly points: bigint;
}

/** One line of the service's own statement. */
export type ListedStatementLine =
  | (ListedContribution & { readonly lineType: 'contribution' })
  | (ListedContribution & { readonly lineType: 'adjustment'; readonly adjustmentId: string })
  | {
      readonly lineType: 'carried_forward';
      readonly originalSettlementId: string;
      /** 0 or negative; may lie beyond int64. */
      readonly points: bigint;
    };

export type ListedLine = ListedContribution | ListedStatementLine;

/** The columns of a CSV list, the members of each object of a JSON list. Others are ignored and not stored. */
export const LIST_FIELDS = ['partner_event_id', 'partner_order_ref', 'points'] as const;

/** The further columns of the service's own statement. A list with all of them is read as a statement. */
export const STATEMENT_FIELDS = ['line_type', 'adjustment_id', 'original_settlement_id'] as const;

export type ListField = (typeof LIST_FIELDS)[number];
export type StatementField = (typeof STATEMENT_FIELDS)[number];

/** The values of a line; those of a statement only when the list is one. */
export type LineValues = Readonly<Record<ListField, unknown>> & Partial<Readonly<Record<StatementField, unknown>>>;

/** The well-formed fields of a malformed line. */
export interface ReadableFields {
  readonly lineType?: LineType;
  readonly adjustmentId?: string;
  readonly partnerEventId?: string;
  readonly partnerOrderRef?: string;
  readonly points?: bigint;
}

/** One line of a list: its values, or its problems. `problems` tells which. */
export type ListEntry = {
  /** CSV: the line of the file where the record begins; the header row is 1. JSON: the position in the array, from 1. */
  readonly lineNo: number;
} & (
  | { readonly listed: ListedLine; readonly problems: null }
  | { readonly listed: null; readonly problems: readonly ListProblem[]; readonly readable: ReadableFields }
);

/** How a list is read. */
export interface ListReading extends ListLimits {
  /** Called when the list is recognised as the service's own statement. */
  readonly onStatement?: () => void;
}

/**
 * Reads one line of a list from the values of its fields: numbers as `readJson` gives them, or every value as the text of a cell.
 *
 * @returns The line, or all of its problems as codes, which never repeat a value, because it may be personal.
 */
export function readListLine(lineNo: number, values: LineValues): ListEntry {
  const isStatement = STATEMENT_FIELDS.every((field) => field in values);
  if (!isStatement) return readFields(lineNo, values, OWN_LINE);
  const lineType = LINE_TYPES.find((type) => type === values.line_type);
  if (lineType) return readFields(lineNo, values, STATEMENT_LINES[lineType], lineType);
  return { lineNo, listed: null, problems: [problemOf('line_type', values.line_type)], readable: {} };
}

/** A line that cannot be read at all: an element of a JSON list that is not an object. */
export function unreadableLine(lineNo: number): ListEntry {
  return { lineNo, listed: null, problems: [{ field: 'line', code: 'unreadable' }], readable: {} };
}

/** A line of a CSV list with a value beside the columns: which of its values belongs to which column is not known. */
export function overfullLine(lineNo: number): ListEntry {
  return { lineNo, listed: null, problems: [{ field: 'line', code: 'too_many_values' }], readable: {} };
}

/** A field of a line, its name here, and the check of its form. */
type FieldForm = readonly [
  field: ListField | StatementField,
  name: 'adjustmentId' | 'originalSettlementId' | 'partnerEventId' | 'partnerOrderRef' | 'points',
  isWellFormed: (value: unknown) => boolean,
];

const REFERENCES: readonly FieldForm[] = [
  ['partner_event_id', 'partnerEventId', isLongIdentifier],
  ['partner_order_ref', 'partnerOrderRef', isShortIdentifier],
];
const points = (isInRange: (points: bigint) => boolean): FieldForm => [
  'points',
  'points',
  (value) => typeof value === 'bigint' && isInRange(value),
];
const OWN_LINE: readonly FieldForm[] = [...REFERENCES, points((value) => value >= 0n && value <= POINTS_MAX)];
const STATEMENT_LINES: Readonly<Record<LineType, readonly FieldForm[]>> = {
  contribution: [...REFERENCES, points((value) => value >= 1n && value <= POINTS_MAX)],
  adjustment: [
    ['adjustment_id', 'adjustmentId', isLongIdentifier],
    ...REFERENCES,
    points((value) => value >= -POINTS_MAX && value <= POINTS_MAX),
  ],
  carried_forward: [['original_settlement_id', 'originalSettlementId', isLongIdentifier], points((value) => value <= 0n)],
};

function readFields(lineNo: number, values: LineValues, forms: readonly FieldForm[], lineType?: LineType): ListEntry {
  const read: Record<string, unknown> = lineType ? { lineType } : {};
  const problems: ListProblem[] = [];
  for (const [field, name, isWellFormed] of forms) {
    const value = field === 'points' ? readPoints(values.points) : values[field];
    if (isWellFormed(value)) read[name] = value;
    else problems.push(problemOf(field, values[field], lineType));
  }
  if (problems.length > 0) return { lineNo, listed: null, problems, readable: read };
  return { lineNo, listed: read as unknown as ListedLine, problems: null };
}

function problemOf(field: ListField | StatementField, value: unknown, lineType?: LineType): ListProblem {
  if (value === undefined || value === null || value === '') return { field, code: 'missing' };
  return { field, code: field === 'points' ? pointsProblem(value, lineType) : 'wrong_form' };
}

/** A list that is refused as a whole. */
export function refuseList(code: DetailCode, message: string, status?: number): ServiceError {
  return new ServiceError('invalid_request', message, { details: [{ field: 'list', code, message }], ...(status && { status }) });
}

/**
 * A list above a limit: 413, and the error names the limit. Each part of such a list would lack every line of the others, since it is compared
 * with the whole settlement.
 */
export function listTooLarge(code: 'too_many_lines' | 'too_many_bytes', limit: string): ServiceError {
  const message = `A list may have at most ${limit}. Compare your records with the statement of the settlement, or with its lines.`;
  return refuseList(code, message, 413);
}

/** A line longer than any well-formed line; reading stops there. */
export function lineTooLong(lineNo: number, lineCharacters: number): ServiceError {
  return refuseList('line_too_long', `Line ${lineNo} of the list has more than ${lineCharacters} characters.`);
}

/** The most digits of a number of points: far more than a sum of a million int64 values has. */
const POINTS_DIGITS_MAX = 40;

/** `"250"` is `250n`. Plus signs, blanks inside, leading zeros, separators and decimals are malformed. */
function readPoints(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const isWhole = value.length <= POINTS_DIGITS_MAX && /^(?:0|-?[1-9]\d*)$/.test(value);
  return isWhole ? BigInt(value) : undefined;
}
