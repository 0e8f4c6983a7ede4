import { type TProperties, Type } from 'typebox';
import { SHORT_IDENTIFIER } from '../../domain/identifiers.ts';
import { LINE_TYPES } from '../../domain/settlements/settlement-line.ts';
import { Echo, KeyedEcho } from '../envelope-schemas.ts';
import { Acknowledgement, Settlement } from '../events/event-schemas.ts';
import { olderAfter, olderNextAfter, pageAnswer, pageQuery } from '../paging.ts';
import { closed, longId, nullable, nullableTime, sum } from '../schema-parts.ts';
import type { IntegerBounds } from '../validation/integer-text.ts';

/** The shapes of the paths of settlements. @see docs/spec/settlements.md#2-settlement. */

export const SETTLEMENT_PAGE = { default: 24, max: 100 } as const;
export const LINE_PAGE = { default: 100, max: 1_000 } as const;

/** What a line's number may be. */
export const LINE_BOUNDS = { minimum: 0, maximum: 2_147_483_647 } as const;

const olderPlace = (source: string, bounds: IntegerBounds, format?: 'int64') =>
  Type.Optional(Type.Unsafe<string>({ type: 'integer', ...(format && { format }), ...bounds, ...olderAfter(source) }));
export const ListSettlementsQuery = Type.Object(
  {
    ...pageQuery(SETTLEMENT_PAGE),
    before_sequence: olderPlace('next_before_sequence', { minimum: 1 }, 'int64'),
  },
  closed,
);

export const ListLinesQuery = Type.Object(
  {
    ...pageQuery(LINE_PAGE),
    after_line: olderPlace('next_after_line', LINE_BOUNDS),
  },
  closed,
);

export const StatementQuery = Type.Object(
  {
    excel_safe: Type.Optional(
      Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        description:
          'With `true` an apostrophe stands before what a spreadsheet would take for a formula, a date or a number that it shortens. These are not the bytes of `csv_sha256`.',
      }),
    ),
  },
  closed,
);

export const SettlementParams = Type.Object({ settlement_id: longId('As in the list of settlements.') });

export const AcknowledgeBody = Type.Object(
  {
    status: Type.Unsafe<'accepted' | 'disputed'>({
      type: 'string',
      enum: ['accepted', 'disputed'],
      description: 'A dispute may end in acceptance; what is accepted stays so. It reopens nothing.',
    }),
    reference: Type.Optional(nullable(SHORT_IDENTIFIER, 'Your own reference, such as that of a payment.')),
    note: Type.Optional(nullable({ minLength: 1, maxLength: 1_000 }, 'Your own words. No personal data.')),
  },
  closed,
);

const integer = (description: string, minimum?: number) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', ...(minimum !== undefined && { minimum }), description });
const text = (description: string) => nullable({}, description);

const lineColumns: TProperties = {
  line_no: integer('From 1, without gaps.', 1),
  line_type: Type.Unsafe<string>({ type: 'string', enum: [...LINE_TYPES], description: 'What the line stands for.' }),
  transaction_id: text('The contribution.'),
  adjustment_id: text('The adjustment.'),
  partner_event_id: text('Of the contribution.'),
  partner_order_ref: text('Of the contribution.'),
  points: sum(
    'Negative where an adjustment takes points back. Of a line of type `carried_forward` a sum, which may be below int64.',
  ),
  amount: nullable({ pattern: '^-?\\d+(\\.\\d+)?$' }, 'Exact; `null` where the points have no value.'),
  currency: nullable({ pattern: '^[A-Z]{3}$' }, 'ISO 4217; `null` where the points have no value.'),
  confirmed_at_utc: nullableTime('When the contribution was confirmed.'),
  posted_at_utc: nullableTime('When the adjustment was posted.'),
  contribution_rule_version: text('Version of the contribution rule applied.'),
  point_conversion_version: text('Version of the point conversion applied.'),
  tree_cost_version: text('Version of the tree cost applied.'),
  calculation_id: text('Of the linked estimate.'),
  association_status: text('At the moment of closing.'),
  reason_code: text("An adjustment's reason; `late` for a contribution that missed the settlement of its own period."),
  original_settlement_id: text('Where the contribution of an adjustment was settled, or where a negative net comes from.'),
};

export const Line = Type.Object(lineColumns, { ...closed, description: 'A line; what does not apply to it is `null`.' });

export const SettlementPageBody = Type.Object(
  {
    settlements: Type.Array(Settlement, { description: 'The latest first.' }),
    ...pageAnswer,
    next_before_sequence: Type.Unsafe<bigint | null>({
      ...{ type: ['integer', 'null'], format: 'int64', minimum: 1 },
      ...olderNextAfter('before_sequence'),
    }),
    request: Echo,
  },
  closed,
);

export const SettlementBody = Type.Object({ settlement: Settlement, request: Echo }, closed);

export const LinePageBody = Type.Object(
  {
    lines: Type.Array(Line, { description: 'In the order of the statement; none while the settlement is open.' }),
    ...pageAnswer,
    next_after_line: Type.Unsafe<bigint>({ ...integer('', 0), ...olderNextAfter('after_line') }),
    request: Echo,
  },
  closed,
);

export const AcknowledgedBody = Type.Object(
  { settlement_id: longId('The settlement.'), acknowledgement: Acknowledgement, request: KeyedEcho },
  closed,
);
