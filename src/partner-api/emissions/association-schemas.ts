import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { KeyedEcho } from '../envelope-schemas.ts';
import { closed, decimal, Environment, longId, nullable, shortId, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/**
 * The shapes of the link between a contribution and an estimate.
 *
 * @see docs/spec/interface.md#association-outcome-object-association.
 */

export const AssociateEstimateBody = Type.Object({ calculation_id: longId('The id of the estimate to link.') }, closed);

export const Link = Type.Object(
  {
    association_id: longId('The id of the link. The service assigns it.'),
    transaction_id: longId('The id of the contribution.'),
    calculation_id: longId('The id of the estimate.'),
    partner_order_ref: shortId("The partner's reference of the order."),
    estimated_emissions_kgco2e: decimal('The estimated emissions in kilograms of CO2e, exact.'),
    estimated_emissions_unit: Type.Unsafe<'kgco2e'>({
      type: 'string',
      enum: ['kgco2e'],
      description: 'The unit of the emissions: always `kgco2e`.',
    }),
    distance_km: decimal('The distance in kilometres, as sent with the estimate.'),
    distance_unit: Type.Unsafe<'km'>({ type: 'string', enum: ['km'], description: 'The unit of the distance: always `km`.' }),
    vehicle_category: Type.String({ description: 'The vehicle of the delivery, as in the estimate. The list is open.' }),
    methodology_version: Type.String({ description: 'The version of the calculation method.' }),
    emission_factor_version: Type.String({ description: 'The version of the emission factors.' }),
    calculated_at: time('When the service calculated the estimate, in UTC.'),
    associated_at: time('When the service linked the estimate, in UTC.'),
    environment: Environment,
    immutable: Type.Unsafe<true>({
      type: 'boolean',
      enum: [true],
      description: 'Always `true`: these values stay as they were when the estimate was linked.',
    }),
  },
  { ...closed, description: 'The link. It is present only with the status `associated`.' },
);

export const Rejection = Type.Object(
  {
    code: Type.Unsafe<string>({
      type: 'string',
      enum: ['estimate_not_found', 'estimate_expired', 'calculation_mismatch', 'association_conflict', 'contribution_pending'],
      description: 'Why the service did not link the estimate. The contribution is not affected.',
    }),
    message: Type.String({ description: 'A sentence for people: why the service did not link the estimate.' }),
    calculation_id: nullable(LONG_IDENTIFIER, 'The id of the estimate, as sent; `null` where it was not well formed.'),
  },
  { ...closed, description: 'The reason. It is present only with the status `rejected`.' },
);

export const Association = Type.Object(
  {
    status: Type.Unsafe<'associated' | 'rejected' | 'not_requested'>({
      type: 'string',
      enum: ['associated', 'rejected', 'not_requested'],
      description: 'Whether an estimate is linked. There is no other status.',
    }),
    link: Type.Optional(Link),
    rejection: Type.Optional(Rejection),
  },
  closed,
);

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
