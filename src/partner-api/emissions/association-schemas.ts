import { Type } from 'typebox';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { KeyedEcho } from '../envelope-schemas.ts';
import { closed, decimal, Environment, longId, nullable, shortId, time } from '../schema-parts.ts';

/**
 * The shapes of the link between a contribution and an estimate.
 *
 * @see docs/spec/interface.md#association-outcome-object-association.
 */

export const AssociateEstimateBody = Type.Object({ calculation_id: longId('The estimate to link.') }, closed);

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
