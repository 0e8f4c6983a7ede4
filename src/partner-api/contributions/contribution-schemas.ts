import { Type } from 'typebox';
import { CONTRIBUTION_STATUSES } from '../../domain/contributions/contribution-status.ts';
import { LONG_IDENTIFIER, SHORT_IDENTIFIER } from '../../domain/identifiers.ts';
import { POINTS_MAX } from '../../domain/numbers/points.ts';
import { Association } from '../emissions/association-schemas.ts';
import { Echo, KeyedEcho } from '../envelope-schemas.ts';
import { closed, Environment, int64, longId, nullable, nullableTime, shortId, time } from '../schema-parts.ts';

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

export const EventQuery = Type.Object({ partner_event_id: longId('The event to look up.') }, closed);
export const TransactionParams = Type.Object({ transaction_id: longId('As given by the confirmation.') });

export const Contribution = Type.Object(
  {
    transaction_id: longId('Assigned by the service.'),
    partner_event_id: longId("The partner's idempotency and recovery key."),
    partner_order_ref: shortId('Reference of the order.'),
    status: Type.Unsafe<(typeof CONTRIBUTION_STATUSES)[number]>({
      type: 'string',
      enum: [...CONTRIBUTION_STATUSES],
      description: '`confirmed` and `failed` are terminal. Only `failed` allows points to be restored.',
    }),
    points: int64('Whole points.'),
    opaque_customer_ref: nullable(SHORT_IDENTIFIER, 'As sent.'),
    contribution_rule_version: Type.String({ description: 'Version of the contribution rule applied.' }),
    point_conversion_version: Type.String({ description: 'Version of the point conversion applied.' }),
    tree_cost_version: Type.String({ description: 'Version of the tree cost applied.' }),
    expected_environmental_support: Type.Object(
      {
        summary_en: Type.String({ description: 'English.' }),
        summary_ar: Type.String({ description: 'Arabic.' }),
      },
      { ...closed, description: 'Written when the contribution is made, never computed again.' },
    ),
    non_refundable: Type.Boolean({ description: '`false` only for a failed contribution.' }),
    environment: Environment,
    created_at: time('UTC.'),
    confirmed_at: nullableTime('UTC; `null` unless confirmed.'),
    failed_at: nullableTime('UTC; `null` unless failed.'),
  },
  closed,
);

export const ConfirmedBody = Type.Object({ contribution: Contribution, association: Association, request: KeyedEcho }, closed);
export const ContributionBody = Type.Object({ contribution: Contribution, association: Association, request: Echo }, closed);
