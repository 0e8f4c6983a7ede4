import { decimalText } from '../numbers/decimal.ts';
import { CURRENT_EMISSION_METHOD, type VehicleCategory } from './emission-factors.ts';

/** The emissions of an estimate: exact decimals without trailing zeros, and the versions that were used. */
export interface Emissions {
  emissionFactorGco2ePerKm: string;
  rawEmissionsGco2e: string;
  estimatedEmissionsKgco2e: string;
  methodologyVersion: string;
  vehicleCatalogVersion: string;
  emissionFactorVersion: string;
  lifecycleBoundary: 'well_to_wheel';
}

/**
 * Well-to-wheel emissions of one delivery: 12345 metres by car are `2561.71095` grams and `2.56171095` kilograms.
 *
 * @param distanceMetres Whole metres, 1 to 200 000: three decimals of a kilometre, exactly.
 * @see docs/spec/interface.md#createdeliveryemissionsestimate, Calculation.
 */
export function estimateEmissions(distanceMetres: number, vehicleCategory: VehicleCategory): Emissions {
  const { factorCentigramsPerKm, validFrom: _from, validUntil: _until, ...versions } = CURRENT_EMISSION_METHOD;
  const factor = factorCentigramsPerKm[vehicleCategory];
  // A metre is 1e-3 km and the factor counts 1e-2 g, so the product counts 1e-5 g; at most 4.2e9, a safe integer.
  const raw = distanceMetres * factor;
  return {
    emissionFactorGco2ePerKm: decimalText(factor, 2),
    rawEmissionsGco2e: decimalText(raw, 5),
    estimatedEmissionsKgco2e: decimalText(raw, 8),
    ...versions,
  };
}
