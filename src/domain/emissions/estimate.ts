import type { Emissions } from './calculate-emissions.ts';
import type { VehicleCategory } from './emission-factors.ts';

/** An estimate can be linked for so long after its calculation; a linked one no longer expires. */
export const ESTIMATE_VALID_HOURS = 24;

/**
 * A delivery-emissions estimate as it is stored. Units, display, disclosure and environment are derived for each answer.
 *
 * @see docs/spec/interface.md#estimate-object-estimate.
 */
export interface Estimate extends Emissions {
  calculationId: string;
  partnerOrderRef: string;
  /** Always `calculated`: expiry follows from `expiresAt`, a link from the association. */
  status: 'calculated';
  /** Kilometres as the partner sent them: `"12.50"` stays `"12.50"`. */
  distanceKm: string;
  vehicleCategory: VehicleCategory;
  calculatedAt: Date;
  /** {@link ESTIMATE_VALID_HOURS} after `calculatedAt`, also for a linked estimate. */
  expiresAt: Date;
}

/**
 * Whether an estimate has expired: it can be neither read nor linked. A linked one no longer expires.
 *
 * @param at The time that decides: of the arrival of the request, by the clock of the database.
 * @see docs/spec/decisions.md#2-fields.
 */
export function isExpired({ expiresAt, hasLink }: { expiresAt: Date; hasLink: boolean }, at: Date): boolean {
  return !hasLink && at >= expiresAt;
}
