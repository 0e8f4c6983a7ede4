import { MATCHED_POINTS, RECONCILIATION_VERDICTS } from '../../domain/reconciliations/line-verdict.ts';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import { LINE_TYPES } from '../../domain/settlements/settlement-line.ts';
import { RECONCILIATION_STATUSES } from '../../store/reconciliations/reconciliation.ts';
import { Echo, KeyedEcho } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed, longId, nullable, nullableTime, oneOf, shortId, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import { LINE_PAGE } from '../settlements/settlement-schemas.ts';

/** The shapes of reconciliations. @see docs/spec/settlements.md#2-settlement, Reconciliation. */

const LINE_VERDICTS = [...RECONCILIATION_VERDICTS, 'malformed'] as const;

const integer = (description: string, minimum = 0) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', minimum, description });
const nullableInteger = (description: string) =>
  Type.Unsafe<bigint | null>({ type: ['integer', 'null'], format: 'int64', description });
/** A sum may exceed int64. */
const nullableWhole = (description: string) => Type.Unsafe<bigint | null>({ type: ['integer', 'null'], description });
const text = (description: string) => nullable({}, description);

const listed = {
  partner_event_id: longId('The partner_event_id of the contribution.'),
  partner_order_ref: shortId('The order of the contribution.'),
  points: integer('The points as they were contributed (gross), or with all adjustments (net), down to 0.', 0),
};

/** For the document only: a list is checked line by line as it arrives. */
export const ListBody = {
  content: {
    'text/csv': {
      schema: Type.String({
        description: `A header row with the columns partner_event_id, partner_order_ref and points, in any order; the service ignores other columns and spaces around a value. Commas, semicolons or tabs separate the values. In UTF-8, or in UTF-16 with a byte order mark. Or the statement of a settlement as the service sends it, \`excel_safe\` or not. At most ${LIST_LIMITS.lines} lines.`,
      }),
    },
    'application/json': {
      schema: Type.Array(Type.Object(listed), {
        maxItems: LIST_LIMITS.lines,
        description: `At most ${LIST_LIMITS.lines} elements. The service ignores other members.`,
      }),
    },
  },
};

export const ReconciliationParams = Type.Object({
  settlement_id: longId('The id of the settlement, from the list of settlements.'),
  reconciliation_id: longId('The id of the reconciliation, from the answer to the list.'),
});

export const ReconciliationLinesQuery = Type.Object(
  {
    verdict: Type.Optional(oneOf(LINE_VERDICTS, 'Only lines with this verdict.')),
    ...pageQuery(LINE_PAGE),
  },
  closed,
);

const ReconciliationShape = Type.Object(
  {
    reconciliation_id: longId('The id of the reconciliation. The service assigns it.'),
    settlement_id: longId('The settlement with which the service compares the list.'),
    status: oneOf(RECONCILIATION_STATUSES, '`done` and `failed` are terminal.'),
    problem: text('Why the reconciliation failed; `null` otherwise.'),
    path: Type.String({ description: 'The path of the reconciliation.' }),
    format: oneOf(['csv', 'json'], 'The format of the list.'),
    is_statement: Type.Boolean({
      description:
        'Whether the list is a statement of the service: then adjustments and lines of type `carried_forward` are compared too. It is final once the list has arrived.',
    }),
    listed_lines: integer('The number of lines of the list that the service has read.'),
    compared_settlement_lines: integer('The number of lines of the settlement that the service has looked for in the list.'),
    counts: Type.Object(
      Object.fromEntries(LINE_VERDICTS.map((name) => [name, integer(`The number of lines with the verdict \`${name}\`.`)])),
      {
        ...closed,
        description: 'The number of lines by verdict. The numbers are final once the status is `done`.',
      },
    ),
    matched_points: Type.Object(
      Object.fromEntries(
        MATCHED_POINTS.map((name) => [name, integer(`The number of contributions that matched with their ${name} points.`)]),
      ),
      { ...closed, description: 'How many contributions matched with which points. One without adjustments counts as `gross`.' },
    ),
    created_at: time('When the list arrived, in UTC.'),
    ended_at: nullableTime('When the reconciliation ended, in UTC; `null` before that.'),
    lines_removed_at: nullableTime(
      'When the service removed the lines, in UTC: after 30 days; `null` before that. The counts stay.',
    ),
  },
  closed,
);

const LineShape = Type.Object(
  {
    position: integer('The position of the line among all lines.', 1),
    line_no: nullableInteger(
      'In CSV the line of the file, where the header row is 1; in JSON the place in the array, from 1. `null` for a line that is missing in the list.',
    ),
    verdict: oneOf(LINE_VERDICTS, 'The result of the comparison.'),
    line_type: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...LINE_TYPES, null],
      description: 'What the line records; `null` for a malformed line without a type. A list of yours has contributions alone.',
    }),
    partner_event_id: text('The value of the list where it is well formed; `null` for a line of type `carried_forward`.'),
    partner_order_ref: text('The value of the list where it is well formed.'),
    adjustment_id: text('The id of the adjustment, for an adjustment in a statement.'),
    points: nullableWhole('The value of the list where it is well formed.'),
    matched_points: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...MATCHED_POINTS, null],
      description: 'Which points of the contribution the list has: `gross` also where both are the same; `null` for neither.',
    }),
    transaction_id: text('The contribution that the service has for the partner_event_id.'),
    recorded_order_ref: text('The order of that contribution.'),
    recorded_points: nullableWhole(
      'The gross points of that contribution; for an adjustment and a line of type `carried_forward` the points of the line.',
    ),
    recorded_net_points: nullableInteger(
      'The points of that contribution with its adjustments: those up to this settlement where the list has that number, else all posted ones.',
    ),
    recorded_settlement_id: text('The settlement that has the contribution; `null` while none has it.'),
    details: Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }, closed), {
      description:
        'What is wrong with a malformed line; for a line that is missing in the service, what the partner may and should do.',
    }),
  },
  closed,
);

export const ReconciliationBody = Type.Object({ reconciliation: ReconciliationShape, request: Echo }, closed);
export const ReconcilingBody = Type.Object({ reconciliation: ReconciliationShape, request: KeyedEcho }, closed);
export const ReconciliationLinesBody = Type.Object(
  {
    lines: Type.Array(LineShape, { description: 'The lines in the order of the list, then those that are missing in it.' }),
    ...pageAnswer,
    lines_removed_at: nullableTime('When the service removed the lines, in UTC; `null` before that. The counts stay.'),
    request: Echo,
  },
  closed,
);
