import { CONTRIBUTION_STATUSES } from '../../domain/contributions/contribution-status.ts';
import { LONG_IDENTIFIER, SHORT_IDENTIFIER } from '../../domain/identifiers.ts';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import { Association } from '../emissions/association-schemas.ts';
import { Echo, KeyedEcho } from '../envelope-schemas.ts';
import { closed, Environment, int64, longId, nullable, nullableTime, shortId, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/** The shapes of contributions. @see docs/spec/interface.md#contribution. */

export const ConfirmContributionBody = Type.Object(
  {
    partner_event_id: longId("The partner's idempotency and recovery key for this contribution."),
    partner_order_ref: shortId('Non-personal reference of the order. One order confirms once.'),
    points: int64(`Whole points, 1 to ${POINTS_MAX}, already deducted from the customer.`, {
      'x-error-code': 'invalid_point_amount',
    }),
    calculation_id: Type.Optional(
      nullable(
        { ...LONG_IDENTIFIER, 'x-lenient': true },
        'Estimate to link. A missing or invalid one leaves the contribution valid; the association is then `rejected`.',
      ),
    ),
    opaque_customer_ref: Type.Optional(
      nullable(
        SHORT_IDENTIFIER,
        'Opaque reference of the customer. Never an e-mail address, telephone number, name or national identifier.',
      ),
    ),
  },
  closed,
);

export const EventQuery = Type.Object({ partner_event_id: longId('The partner_event_id of the contribution to find.') }, closed);
export const TransactionParams = Type.Object({
  transaction_id: longId('The id of the contribution, from the answer to its confirmation.'),
});

export const Contribution = Type.Object(
  {
    transaction_id: longId('The id of the contribution. The service assigns it.'),
    partner_event_id: longId("The partner's id of the contribution, with which a program finds it again."),
    partner_order_ref: shortId("The partner's reference of the order."),
    status: Type.Unsafe<(typeof CONTRIBUTION_STATUSES)[number]>({
      type: 'string',
      enum: [...CONTRIBUTION_STATUSES],
      description: '`confirmed` and `failed` are terminal. Only `failed` allows points to be restored.',
    }),
    points: int64('The points that the customer contributed, as sent.'),
    opaque_customer_ref: nullable(SHORT_IDENTIFIER, 'The reference of the customer, as sent; `null` without one.'),
    contribution_rule_version: Type.String({ description: 'The version of the contribution rule that the service applied.' }),
    point_conversion_version: Type.String({ description: 'The version of the point conversion that the service applied.' }),
    tree_cost_version: Type.String({ description: 'The version of the tree cost that the service applied.' }),
    expected_environmental_support: Type.Object(
      {
        summary_en: Type.String({ description: 'The sentence in English.' }),
        summary_ar: Type.String({ description: 'The sentence in Arabic.' }),
      },
      {
        ...closed,
        description:
          'What the contribution is expected to support. The service writes it when it records the contribution, and never changes it.',
      },
    ),
    non_refundable: Type.Boolean({ description: 'Whether the points are final. It is `false` only for a failed contribution.' }),
    environment: Environment,
    created_at: time('When the service recorded the contribution, in UTC.'),
    confirmed_at: nullableTime('When the contribution became confirmed, in UTC; `null` unless it is confirmed.'),
    failed_at: nullableTime('When the contribution failed, in UTC; `null` unless it failed.'),
  },
  closed,
);

export const ConfirmedBody = Type.Object({ contribution: Contribution, association: Association, request: KeyedEcho }, closed);
export const ContributionBody = Type.Object({ contribution: Contribution, association: Association, request: Echo }, closed);
