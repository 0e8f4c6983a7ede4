import { type TSchema, Type } from 'typebox';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { Echo } from '../envelope-schemas.ts';
import { BATCH_STATUSES, Evidence, Project } from '../events/event-schemas.ts';
import { olderAfter, olderNextAfter, pageAnswer, pageQuery } from '../paging.ts';
import { closed, int64, longId, nullable, nullableTime, shortId, time } from '../schema-parts.ts';

/** The shapes of the paths of environmental status. @see docs/spec/settlements.md#4-environmental-status. */

export const TRANSACTION_PAGE = { default: 100, max: 500 } as const;

const orNull = (schema: TSchema, description: string) => Type.Unsafe({ anyOf: [schema, { type: 'null' }], description });
const status = Type.Unsafe<string>({ type: 'string', enum: [...BATCH_STATUSES], description: '`verified` is terminal.' });
const count = (description: string) => int64(description, { minimum: 0 });

const Quantity = Type.Object(
  { value: count('Whole trees.'), unit: Type.Literal('tree', { description: 'Always `tree`.' }) },
  { ...closed, description: 'Of the whole batch, over all its contributions; never of one of them.' },
);

const progress = {
  project: orNull(Project, '`null` before the batch is allocated.'),
  evidence: Type.Array(Evidence, { description: 'What shows it, the first added first.' }),
  delayed_at: nullableTime('When a delay was recorded; `null` where none is.'),
  expected_delivery_period: nullable(
    {},
    'Since the delay: a year, a quarter or a month, such as `2027`, `2027-Q2` or `2027-05`.',
  ),
};

export const EnvironmentalStatus = Type.Object(
  {
    transaction_id: longId('The contribution, which stays as it is.'),
    contribution_status: Type.Unsafe<string>({
      type: 'string',
      enum: ['confirmed', 'pending', 'failed'],
      description: 'Only what is confirmed has an environmental status.',
    }),
    settlement_id: nullable({}, 'The closed settlement that the contribution is on; `null` while it is on none.'),
    impact_batch_id: nullable({}, 'The batch that it is pooled in; `null` while it is in none.'),
    status: orNull(status, '`recorded` before the contribution is in a batch; `null` unless it is confirmed.'),
    status_at: nullableTime('When it came to this status.'),
    quantity: orNull(Quantity, '`null` before the contribution is in a batch.'),
    ...progress,
    summary_en: nullable({}, 'English.'),
    summary_ar: nullable({}, 'Arabic.'),
  },
  closed,
);

export const ImpactBatch = Type.Object(
  {
    impact_batch_id: longId('As in the events.'),
    status,
    status_at: time('When it came to this status.'),
    quantity: Quantity,
    ...progress,
    summary_en: Type.String({ description: 'English.' }),
    summary_ar: Type.String({ description: 'Arabic.' }),
    transaction_count: count('Contributions of this partner in the batch.'),
  },
  closed,
);

const BatchTransaction = Type.Object(
  {
    transaction_id: longId('The contribution.'),
    partner_event_id: longId('Of the contribution.'),
    partner_order_ref: shortId('Of the contribution.'),
    points: int64('Of the contribution.'),
    confirmed_at: time('UTC.'),
    settlement_id: longId('The settlement that it is on.'),
  },
  closed,
);

export const EnvironmentalStatusBody = Type.Object({ environmental_status: EnvironmentalStatus, request: Echo }, closed);

export const BatchParams = Type.Object({
  impact_batch_id: longId('As in an event or an environmental status.'),
});

export const ListTransactionsQuery = Type.Object(
  {
    ...pageQuery(TRANSACTION_PAGE),
    after_transaction: Type.Optional(Type.String({ ...LONG_IDENTIFIER, ...olderAfter('next_after_transaction') })),
  },
  closed,
);

export const BatchTransactionsBody = Type.Object(
  {
    impact_batch: ImpactBatch,
    transactions: Type.Array(BatchTransaction, { description: 'Settlement by settlement, in the order of their lines.' }),
    ...pageAnswer,
    next_after_transaction: Type.Unsafe<string | null>({ type: ['string', 'null'], ...olderNextAfter('after_transaction') }),
    request: Echo,
  },
  closed,
);
