import type { Rejection } from './association-refusals.ts';
import type { VehicleCategory } from './emission-factors.ts';

/**
 * The outcome of a request to link an estimate with a contribution.
 *
 * @see docs/spec/interface.md#association-outcome-object-association: these three and no other.
 */
export type Association =
  | { status: 'not_requested' }
  | { status: 'associated'; link: EmissionsLink }
  | { status: 'rejected'; rejection: Rejection };

/**
 * The stored link; it never changes.
 *
 * @see docs/spec/interface.md#emissions-link-object-associationlink.
 */
export interface EmissionsLink {
  associationId: string;
  transactionId: string;
  calculationId: string;
  partnerOrderRef: string;
  /** Kilograms, an exact decimal. */
  estimatedEmissionsKgco2e: string;
  /** The distance in the digits that the partner sent for the estimate. */
  distanceKm: string;
  vehicleCategory: VehicleCategory;
  methodologyVersion: string;
  emissionFactorVersion: string;
  calculatedAt: Date;
  associatedAt: Date;
}
