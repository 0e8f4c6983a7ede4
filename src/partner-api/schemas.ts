import { Type } from 'typebox';
import { VEHICLE_CATEGORIES } from '../domain/emissions.ts';
import { ERROR_CODE_NAMES } from '../domain/error-codes.ts';
import { LONG_IDENTIFIER, SHORT_IDENTIFIER } from '../domain/identifiers.ts';
import { CONTRIBUTION_STATUSES } from '../domain/lifecycle.ts';
import { POINTS_MAX } from '../domain/points.ts';
import { closed, decimal, Environment, int64, longId, nullable, nullableTime, shortId, time } from './schema-parts.ts';

/**
 * The contract's shapes: the one source of validation, serialisation and the OpenAPI document.
 *
 * Keywords of our own: `x-error-code` is the code that a bad value gives where it is not `invalid_request`; a value under
 * `x-lenient` is described and not judged.
 *
 * @see Interface, "Resources and their fields" and "Endpoints".
 */

// Requests

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

export const CreateEstimateBody = Type.Object(
  {
    partner_order_ref: shortId('Non-personal reference of the order.'),
    distance_km: Type.String({
      format: 'distance-km',
      pattern: '^(0|[1-9][0-9]{0,2})(\\.[0-9]{1,3})?$',
      description: 'Kilometres as a plain decimal string: greater than 0, at most 200, at most three decimals.',
      'x-error-code': 'invalid_distance',
    }),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'Always `km`.' }),
    vehicle_category: Type.Unsafe<(typeof VEHICLE_CATEGORIES)[number]>({
      type: 'string',
      enum: [...VEHICLE_CATEGORIES],
      description: 'Vehicle of the delivery.',
      'x-error-code': 'unsupported_vehicle',
    }),
  },
  closed,
);

export const AssociateEstimateBody = Type.Object({ calculation_id: longId('The estimate to link.') }, closed);

export const WriteHeaders = Type.Object({
  'idempotency-key': longId('One key per event: the same key and payload give the original result. No personal data.'),
});

export const EventQuery = Type.Object({ partner_event_id: longId('The event to look up.') }, closed);

export const EVENT_PAGE = { default: 100, max: 500 } as const;

/** Numbers are digits in a query: the code has their text. */
export const ListEventsQuery = Type.Object(
  {
    after_sequence: Type.Optional(
      Type.Unsafe<string>({
        type: 'integer',
        format: 'int64',
        minimum: 0,
        default: 0,
        description: 'The page begins after this `sequence`: the `next_after_sequence` of the page before.',
      }),
    ),
    limit: Type.Optional(
      Type.Unsafe<string>({
        type: 'integer',
        minimum: 1,
        maximum: EVENT_PAGE.max,
        default: EVENT_PAGE.default,
        description: 'The most events of a page.',
      }),
    ),
  },
  closed,
);
export const NoQuery = Type.Object({}, closed);

export const TransactionParams = Type.Object({ transaction_id: Type.String({ description: 'As given by the confirmation.' }) });
export const EventParams = Type.Object({ event_id: Type.String({ description: 'As in the event.' }) });
export const FactorsParams = Type.Object({ emission_factor_version: Type.String({ description: 'As in an estimate.' }) });
export const CalculationParams = Type.Object({ calculation_id: Type.String({ description: 'As given by the estimate.' }) });

// Responses

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

export const Link = Type.Object(
  {
    association_id: longId('Assigned by the service.'),
    transaction_id: longId('The contribution.'),
    calculation_id: longId('The estimate.'),
    partner_order_ref: shortId('Reference of the order.'),
    estimated_emissions_kgco2e: decimal('Kilograms of CO2e, exact.'),
    estimated_emissions_unit: Type.Unsafe<'kgco2e'>({ type: 'string', enum: ['kgco2e'], description: 'Always `kgco2e`.' }),
    distance_km: decimal('Kilometres, as sent with the estimate.'),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'Always `km`.' }),
    vehicle_category: Type.String({ description: 'An open list; see the estimate.' }),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    emission_factor_version: Type.String({ description: 'Version of the factors.' }),
    calculated_at: time('UTC.'),
    associated_at: time('UTC.'),
    environment: Environment,
    immutable: Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description: 'The snapshot is authoritative after association.',
    }),
  },
  { ...closed, description: 'Only with `associated`.' },
);

export const Rejection = Type.Object(
  {
    code: Type.Unsafe<string>({
      type: 'string',
      enum: ['estimate_not_found', 'estimate_expired', 'calculation_mismatch', 'association_conflict', 'contribution_pending'],
      description: 'Why the estimate was not linked. The contribution is not affected.',
    }),
    message: Type.String({ description: 'For people.' }),
    calculation_id: nullable(LONG_IDENTIFIER, 'As sent, when it was well formed.'),
  },
  { ...closed, description: 'Only with `rejected`.' },
);

export const Association = Type.Object(
  {
    status: Type.Unsafe<'associated' | 'rejected' | 'not_requested'>({
      type: 'string',
      enum: ['associated', 'rejected', 'not_requested'],
      description: 'These three and no other.',
    }),
    link: Type.Optional(Link),
    rejection: Type.Optional(Rejection),
  },
  closed,
);

export const Estimate = Type.Object(
  {
    calculation_id: longId('Assigned by the service.'),
    partner_order_ref: shortId('Reference of the order.'),
    status: Type.Unsafe<'calculated'>({
      type: 'string',
      enum: ['calculated'],
      description: 'Expiry is told by the error `estimate_expired`.',
    }),
    distance_km: decimal('Kilometres, as sent.'),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'Always `km`.' }),
    vehicle_category: Type.String({ description: 'An open list: `motorcycle_gasoline` and `car_gasoline` so far.' }),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    vehicle_catalog_version: Type.String({ description: 'Version of the vehicle catalogue.' }),
    emission_factor_version: Type.String({ description: 'Version of the factors.' }),
    emission_factor_gco2e_per_km: decimal('Grams of CO2e per kilometre.'),
    lifecycle_boundary: Type.Unsafe<'well_to_wheel'>({
      type: 'string',
      enum: ['well_to_wheel'],
      description: 'Always `well_to_wheel`.',
    }),
    raw_emissions_gco2e: decimal('Grams of CO2e, exact.'),
    estimated_emissions_kgco2e: decimal('Kilograms of CO2e: raw_emissions_gco2e / 1000, exact.'),
    display: Type.Object(
      {
        kgco2e_two_decimals: Type.String({ description: 'Two decimals, rounded half up; `<0.01` below the threshold.' }),
        uses_less_than_threshold: Type.Boolean({ description: 'The unrounded value is below 0.01.' }),
        formatted_en: Type.String({ description: 'For English text.' }),
        formatted_ar: Type.String({ description: 'For Arabic, right-to-left text.' }),
      },
      closed,
    ),
    disclosure_en: Type.String({ description: 'To be shown beside the value.' }),
    disclosure_ar: Type.String({ description: 'To be shown beside the value.' }),
    calculated_at: time('UTC.'),
    expires_at: time('24 hours after calculation. A linked estimate stays readable.'),
    environment: Environment,
  },
  closed,
);

const oneWord = <Word extends string>(word: Word, description: string) =>
  Type.Unsafe<Word>({ type: 'string', enum: [word], description });
const boundary = oneWord('well_to_wheel', 'Always `well_to_wheel`.');

export const EmissionFactors = Type.Object(
  {
    emission_factor_version: Type.String({ description: 'The label that estimates carry.' }),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    vehicle_catalog_version: Type.String({ description: 'Version of the vehicle catalogue.' }),
    lifecycle_boundary: boundary,
    unit: oneWord('gco2e_per_km', 'Of every factor: grams of CO2e per kilometre.'),
    allocation: oneWord('whole_vehicle', 'A factor is for the whole vehicle: nothing is shared out between the parcels.'),
    valid_from: nullableTime('UTC; `null`: from the first estimate on.'),
    valid_until: nullableTime('UTC, exclusive; `null`: until another version follows.'),
    factors: Type.Array(
      Type.Object(
        {
          vehicle_category: Type.String({ description: 'An open list; see the estimate.' }),
          emission_factor_gco2e_per_km: decimal('Grams of CO2e per kilometre.'),
        },
        closed,
      ),
      { description: 'One for each vehicle category.' },
    ),
    source: nullable({}, 'Where the factors come from, in the words of the operator; `null` where that was not said.'),
  },
  closed,
);

export const Calculation = Type.Object(
  {
    calculation_id: longId('The estimate.'),
    distance_km: decimal('Kilometres, as sent.'),
    distance_unit: oneWord('km', 'Always `km`.'),
    vehicle_category: Type.String({ description: 'An open list; see the estimate.' }),
    emission_factor_gco2e_per_km: decimal('Grams of CO2e per kilometre.'),
    emission_factor_unit: oneWord('gco2e_per_km', 'Always `gco2e_per_km`.'),
    steps: Type.Array(
      Type.Object(
        {
          name: Type.Unsafe<string>({
            type: 'string',
            enum: ['product', 'division', 'threshold', 'rounding'],
            description: 'What is done.',
          }),
          expression: Type.String({ description: 'To be done by hand.' }),
          result: Type.String({ description: 'Exact; of the rounding what is shown.' }),
          unit: Type.Unsafe<string | null>({
            type: ['string', 'null'],
            enum: ['gco2e', 'kgco2e', null],
            description: 'Of the result; `null` for the answer to a question.',
          }),
        },
        closed,
      ),
      { description: 'In their order: each goes on with the result of the one before.' },
    ),
    rounding_mode: oneWord('half_up', 'How the rounding decides between two neighbours.'),
    methodology_version: Type.String({ description: 'Version of the method.' }),
    vehicle_catalog_version: Type.String({ description: 'Version of the vehicle catalogue.' }),
    emission_factor_version: Type.String({ description: 'Version of the factors.' }),
    lifecycle_boundary: boundary,
  },
  closed,
);

const correlationId = longId("The request's correlation identifier.");
export const Echo = Type.Object({ correlation_id: correlationId }, closed);
export const KeyedEcho = Type.Object({ correlation_id: correlationId, idempotency_key: longId('As sent.') }, closed);

export const ConfirmedBody = Type.Object({ contribution: Contribution, association: Association, request: KeyedEcho }, closed);
export const ContributionBody = Type.Object({ contribution: Contribution, association: Association, request: Echo }, closed);
export const EstimateBody = Type.Object({ estimate: Estimate, association: Association, request: Echo }, closed);
export const EmissionFactorsListBody = Type.Object(
  {
    emission_factors: Type.Array(EmissionFactors, { description: 'Every version there ever was, oldest first.' }),
    request: Echo,
  },
  closed,
);
export const EmissionFactorsBody = Type.Object({ emission_factors: EmissionFactors, request: Echo }, closed);
export const CalculationBody = Type.Object({ calculation: Calculation, request: Echo }, closed);
export const AssociatedBody = Type.Object(
  {
    association: Association,
    contribution_status: Type.Unsafe<'confirmed'>({
      type: 'string',
      enum: ['confirmed'],
      description: 'The contribution stays confirmed.',
    }),
    request: KeyedEcho,
  },
  closed,
);

export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Unsafe<string>({
          type: 'string',
          description: `One of ${ERROR_CODE_NAMES.map((code) => `\`${code}\``).join(', ')}; an open list.`,
        }),
        message: Type.String({ description: 'For people: what is wrong and what to do.' }),
        retryable: Type.Boolean({ description: 'Sending the identical request again soon, by a program, is worth while.' }),
        correlation_id: correlationId,
        details: Type.Optional(
          Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }, closed), {
            description:
              'Every problem of the request, then the recovery verdict: `point_restoration`, `next_action`, `transaction_id`.',
          }),
        ),
      },
      closed,
    ),
  },
  closed,
);
