import { Type } from 'typebox';
import { LIST_LIMITS } from '../../domain/reconciliations/partner-list.ts';
import { MATCHED_POINTS, RECONCILIATION_VERDICTS } from '../../domain/reconciliations/reconciliation.ts';
import { LINE_TYPES } from '../../domain/settlements/settlement-line.ts';
import { RECONCILIATION_STATUSES } from '../../store/reconciliations/reconciliation.ts';
import { Echo, KeyedEcho } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed, longId, nullable, nullableTime, shortId, time } from '../schema-parts.ts';
import { LINE_PAGE } from '../settlements/settlement-schemas.ts';

/** The shapes of reconciliations. @see docs/spec/settlements.md#2-settlement, Reconciliation. */

const LINE_VERDICTS = [...RECONCILIATION_VERDICTS, 'malformed'] as const;
export type LineVerdictName = (typeof LINE_VERDICTS)[number];

const integer = (description: string, minimum = 0) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', minimum, description });
const nullableInteger = (description: string) =>
  Type.Unsafe<bigint | null>({ type: ['integer', 'null'], format: 'int64', description });
/** A sum may lie beyond int64. */
const nullableWhole = (description: string) => Type.Unsafe<bigint | null>({ type: ['integer', 'null'], description });
const text = (description: string) => nullable({}, description);
const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

const listed = {
  partner_event_id: longId('Of the contribution.'),
  partner_order_ref: shortId('Of the contribution.'),
  points: integer('Whole points: gross, as they were contributed, or net of adjustments, down to 0.', 0),
};

/** For the document: a list is judged line by line as it comes. */
export const ListBody = {
  content: {
    'text/csv': {
      schema: Type.String({
        description: `A header row with the columns partner_event_id, partner_order_ref and points, in any order; others are passed over. Or the statement of a settlement as it is served, \`excel_safe\` or not. At most ${LIST_LIMITS.lines} lines.`,
      }),
    },
    'application/json': {
      schema: Type.Array(Type.Object(listed), {
        maxItems: LIST_LIMITS.lines,
        description: `At most ${LIST_LIMITS.lines} elements; other members are passed over.`,
      }),
    },
  },
};

export const ReconciliationParams = Type.Object({
  settlement_id: longId('As in the list of settlements.'),
  reconciliation_id: longId('As given when the list was sent.'),
});

export const ReconciliationLinesQuery = Type.Object(
  {
    verdict: Type.Optional(oneOf(LINE_VERDICTS, 'Only lines of this verdict.')),
    ...pageQuery(LINE_PAGE),
  },
  closed,
);

export const ReconciliationShape = Type.Object(
  {
    reconciliation_id: longId('Assigned by the service.'),
    settlement_id: longId('The settlement that the list is compared with.'),
    status: oneOf(RECONCILIATION_STATUSES, '`done` and `failed` are terminal.'),
    problem: text('Why it failed; `null` otherwise.'),
    path: Type.String({ description: 'Where this is found again.' }),
    format: oneOf(['csv', 'json'], 'Of the list.'),
    is_statement: Type.Boolean({
      description:
        "The list is the service's own statement: adjustments and what is carried forward are compared too. Known when it has come.",
    }),
    listed_lines: integer('Lines of the list that were read.'),
    compared_settlement_lines: integer('Lines of the settlement that were looked for in the list.'),
    counts: Type.Object(Object.fromEntries(LINE_VERDICTS.map((name) => [name, integer(`Lines that are \`${name}\`.`)])), {
      ...closed,
      description: 'By verdict; final once it is `done`.',
    }),
    matched_points: Type.Object(
      Object.fromEntries(MATCHED_POINTS.map((name) => [name, integer(`Contributions that matched with their ${name} points.`)])),
      { ...closed, description: 'Which points the list has. A contribution without adjustments counts as `gross`.' },
    ),
    created_at: time('UTC.'),
    ended_at: nullableTime('UTC; `null` while it is under way.'),
    lines_removed_at: nullableTime('UTC; `null` while the lines are there, for 30 days. The counts are kept.'),
  },
  closed,
);

const LineShape = Type.Object(
  {
    position: integer('Where the line stands among all of them.', 1),
    line_no: nullableInteger(
      'CSV: the line of the file, the header row being 1. JSON: the place in the array, from 1. `null` for what is missing in the list.',
    ),
    verdict: oneOf(LINE_VERDICTS, 'What came of the comparison.'),
    line_type: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...LINE_TYPES, null],
      description:
        'What the line stands for; `null` for a malformed line that does not say. A list of your own has contributions only.',
    }),
    partner_event_id: text('As listed, as far as it is well formed; `null` for what is carried forward.'),
    partner_order_ref: text('As listed, as far as it is well formed.'),
    adjustment_id: text('Of an adjustment in a statement.'),
    points: nullableWhole('As listed, as far as they are well formed.'),
    matched_points: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      enum: [...MATCHED_POINTS, null],
      description: 'Which points of the contribution the list has: `gross` also where both are the same; `null` where neither.',
    }),
    transaction_id: text('The contribution that the service has under the event.'),
    recorded_order_ref: text('Of that contribution.'),
    recorded_points: nullableWhole(
      'Of that contribution, gross; of an adjustment, or what is carried forward, those of its line.',
    ),
    recorded_net_points: nullableInteger(
      'Of that contribution with its adjustments: those up to this settlement where the list has that number, else all that are posted.',
    ),
    recorded_settlement_id: text('The settlement that it is on; `null` while it is on none.'),
    details: Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }, closed), {
      description: 'What is wrong with a malformed line; of what is missing in the service, what may and should be done.',
    }),
  },
  closed,
);

export const ReconciliationBody = Type.Object({ reconciliation: ReconciliationShape, request: Echo }, closed);
export const ReconcilingBody = Type.Object({ reconciliation: ReconciliationShape, request: KeyedEcho }, closed);
export const ReconciliationLinesBody = Type.Object(
  {
    lines: Type.Array(LineShape, { description: 'In the order of the list, then what is missing in it.' }),
    ...pageAnswer,
    lines_removed_at: nullableTime('UTC; since then there are counts only. `null` while the lines are there.'),
    request: Echo,
  },
  closed,
);
