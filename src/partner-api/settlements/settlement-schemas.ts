import type { TProperties } from 'typebox';
import { SHORT_IDENTIFIER } from '../../domain/identifiers.ts';
import { NOTE_CHARACTERS_MAX } from '../../domain/settlements/settlement.ts';
import { LINE_TYPES } from '../../domain/settlements/settlement-line.ts';
import { Echo, KeyedEcho } from '../envelope-schemas.ts';
import { Acknowledgement, Settlement } from '../events/event-schemas.ts';
import { olderAfter, olderNextAfter, pageAnswer, pageQuery } from '../paging.ts';
import { closed, longId, nullable, nullableText, nullableTime, sum } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';
import type { IntegerBounds } from '../validation/integer-text.ts';

/** The shapes of the paths of settlements. @see docs/spec/settlements.md#2-settlement. */

export const SETTLEMENT_PAGE = { default: 24, max: 100 } as const;
export const LINE_PAGE = { default: 100, max: 1_000 } as const;

/** The bounds of a line's number. */
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

export const SettlementParams = Type.Object({ settlement_id: longId('The id of the settlement, from the list of settlements.') });

export const AcknowledgeBody = Type.Object(
  {
    status: Type.Unsafe<'accepted' | 'disputed'>({
      type: 'string',
      enum: ['accepted', 'disputed'],
      description: '`accepted` is final; `disputed` may become `accepted`. Neither opens the settlement again.',
    }),
    reference: Type.Optional(nullable(SHORT_IDENTIFIER, 'A reference of yours, such as that of a payment.')),
    note: Type.Optional(nullableText('A note of yours. It must not hold personal data.', NOTE_CHARACTERS_MAX)),
  },
  closed,
);

const integer = (description: string, minimum?: number) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', ...(minimum !== undefined && { minimum }), description });
const text = (description: string) => nullable({}, description);

const lineColumns: TProperties = {
  line_no: integer('The number of the line, from 1, without gaps.', 1),
  line_type: Type.Unsafe<string>({ type: 'string', enum: [...LINE_TYPES], description: 'What the line records.' }),
  transaction_id: text('The id of the contribution.'),
  adjustment_id: text('The id of the adjustment.'),
  partner_event_id: text('The partner_event_id of the contribution.'),
  partner_order_ref: text('The order of the contribution.'),
  points: sum(
    'The points of the line; negative where an adjustment takes points back. For a line of type `carried_forward` they are a sum, which may be below the range of int64.',
  ),
  amount: nullable({ pattern: '^-?\\d+(\\.\\d+)?$' }, 'The amount of the line, exact; `null` where the points have no value.'),
  currency: nullable({ pattern: '^[A-Z]{3}$' }, 'The currency by ISO 4217; `null` where the points have no value.'),
  confirmed_at_utc: nullableTime('When the contribution became confirmed, in UTC.'),
  posted_at_utc: nullableTime('When an operator posted the adjustment, in UTC.'),
  contribution_rule_version: text('The version of the contribution rule that the service applied.'),
  point_conversion_version: text('The version of the point conversion that the service applied.'),
  tree_cost_version: text('The version of the tree cost that the service applied.'),
  calculation_id: text('The id of the linked estimate.'),
  association_status: text('The status of the association when the settlement was closed.'),
  reason_code: text(
    'The reason of an adjustment; `late` for a contribution that came after the settlement of its own period was closed.',
  ),
  original_settlement_id: text(
    'The settlement that has the contribution of an adjustment, or from which a negative total was carried forward.',
  ),
};

const Line = Type.Object(lineColumns, {
  ...closed,
  description: 'A line of the statement. A member that does not apply to the line is `null`.',
});

export const SettlementPageBody = Type.Object(
  {
    settlements: Type.Array(Settlement, { description: 'The settlements, the latest first.' }),
    ...pageAnswer,
    next_before_sequence: Type.Unsafe<bigint | null>({
      type: ['integer', 'null'],
      format: 'int64',
      minimum: 1,
      ...olderNextAfter('before_sequence'),
    }),
    request: Echo,
  },
  closed,
);

export const SettlementBody = Type.Object({ settlement: Settlement, request: Echo }, closed);

export const LinePageBody = Type.Object(
  {
    lines: Type.Array(Line, { description: 'The lines in the order of the statement; none while the settlement is open.' }),
    ...pageAnswer,
    next_after_line: Type.Unsafe<bigint>({ ...integer('', 0), ...olderNextAfter('after_line') }),
    request: Echo,
  },
  closed,
);

export const AcknowledgedBody = Type.Object(
  { settlement_id: longId('The id of the settlement.'), acknowledgement: Acknowledgement, request: KeyedEcho },
  closed,
);
