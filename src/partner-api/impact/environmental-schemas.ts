import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { ENVIRONMENTAL_STATUSES } from '../../domain/impact/environmental-status.ts';
import { Echo } from '../envelope-schemas.ts';
import { EVIDENCE_DESCRIPTION, Evidence, Project } from '../events/event-schemas.ts';
import { olderAfter, olderNextAfter, pageAnswer, pageQuery } from '../paging.ts';
import { closed, count, int64, longId, nullable, nullableTime, oneOf, orNull, shortId, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/** The shapes of the paths of environmental status. @see docs/spec/settlements.md#4-environmental-status. */

export const TRANSACTION_PAGE = { default: 100, max: 500 } as const;

const status = oneOf(ENVIRONMENTAL_STATUSES, 'The status of the impact batch. `verified` is terminal.');

const Quantity = Type.Object(
  {
    value: count('The number of trees.'),
    unit: Type.Literal('tree', { description: 'The unit of the quantity: always `tree`.' }),
  },
  {
    ...closed,
    description: 'The quantity of the whole impact batch, for all its contributions together, never for one of them.',
  },
);

const progress = {
  project: orNull(Project, 'The project; `null` before the impact batch is allocated.'),
  evidence: Type.Array(Evidence, { description: EVIDENCE_DESCRIPTION }),
  delayed_at: nullableTime('When an operator recorded a delay, in UTC; `null` without one.'),
  expected_delivery_period: nullable(
    {},
    'After a delay, when the trees are expected: a year, a quarter or a month, such as `2027`, `2027-Q2` or `2027-05`.',
  ),
};

const EnvironmentalStatus = Type.Object(
  {
    transaction_id: longId('The id of the contribution, which environmental status does not change.'),
    contribution_status: Type.Unsafe<string>({
      type: 'string',
      enum: ['confirmed', 'pending', 'failed'],
      description: 'The status of the contribution. Only a confirmed one has an environmental status.',
    }),
    settlement_id: nullable({}, 'The closed settlement that has the contribution; `null` while none has it.'),
    impact_batch_id: nullable({}, 'The impact batch that has the contribution; `null` while none has it.'),
    status: orNull(
      status,
      '`recorded` before the contribution is in an impact batch; `null` unless the contribution is confirmed.',
    ),
    status_at: nullableTime('When the status began, in UTC.'),
    quantity: orNull(Quantity, 'The quantity of the impact batch; `null` before the contribution is in one.'),
    ...progress,
    summary_en: nullable({}, 'The status as a sentence in English.'),
    summary_ar: nullable({}, 'The status as a sentence in Arabic.'),
  },
  closed,
);

export const ImpactBatch = Type.Object(
  {
    impact_batch_id: longId('The id of the impact batch.'),
    status,
    status_at: time('When the status began, in UTC.'),
    quantity: Quantity,
    ...progress,
    summary_en: Type.String({ description: 'The status as a sentence in English.' }),
    summary_ar: Type.String({ description: 'The status as a sentence in Arabic.' }),
    transaction_count: count('The number of contributions of this partner in the impact batch.'),
  },
  closed,
);

const BatchTransaction = Type.Object(
  {
    transaction_id: longId('The id of the contribution.'),
    partner_event_id: longId('The partner_event_id of the contribution.'),
    partner_order_ref: shortId('The order of the contribution.'),
    points: int64('The points of the contribution.'),
    confirmed_at: time('When the contribution became confirmed, in UTC.'),
    settlement_id: longId('The settlement that has the contribution.'),
  },
  closed,
);

export const EnvironmentalStatusBody = Type.Object({ environmental_status: EnvironmentalStatus, request: Echo }, closed);

export const BatchParams = Type.Object({
  impact_batch_id: longId('The id of the impact batch, from an event or an environmental status.'),
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
    transactions: Type.Array(BatchTransaction, { description: 'The contributions by settlement, in the order of its lines.' }),
    ...pageAnswer,
    next_after_transaction: Type.Unsafe<string | null>({ type: ['string', 'null'], ...olderNextAfter('after_transaction') }),
    request: Echo,
  },
  closed,
);
