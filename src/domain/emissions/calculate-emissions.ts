import { decimalText } from '../numbers/decimal.ts';

/** @see docs/spec/interface.md#estimate-object-estimate, field vehicle_category. */
export const VEHICLE_CATEGORIES = ['motorcycle_gasoline', 'car_gasoline'] as const;

export type VehicleCategory = (typeof VEHICLE_CATEGORIES)[number];

export function isVehicleCategory(value: unknown): value is VehicleCategory {
  return (VEHICLE_CATEGORIES as readonly unknown[]).includes(value);
}

/** One version of the method. After an estimate used it, it never changes: a change is a new entry. */
export interface EmissionMethod {
  methodologyVersion: string;
  vehicleCatalogVersion: string;
  emissionFactorVersion: string;
  lifecycleBoundary: 'well_to_wheel';
  /** The start, in UTC, from which new estimates use it; `null`: since the first estimate. */
  validFrom: string | null;
  /** The exclusive end; `null`: until another version follows. */
  validUntil: string | null;
  /** Grams of CO2e per kilometre, times 100, so that every figure below is a whole number. */
  factorCentigramsPerKm: Readonly<Record<VehicleCategory, number>>;
}

/**
 * New estimates use this version.
 *
 * @see docs/spec/interface.md#createdeliveryemissionsestimate, Calculation.
 */
export const CURRENT_EMISSION_METHOD = {
  methodologyVersion: 'wtw-distance-1',
  vehicleCatalogVersion: 'vehicles-1',
  emissionFactorVersion: 'factors-1',
  lifecycleBoundary: 'well_to_wheel',
  validFrom: null,
  validUntil: null,
  factorCentigramsPerKm: { motorcycle_gasoline: 14_323, car_gasoline: 20_751 },
} as const satisfies EmissionMethod;

/** All versions, oldest first. */
export const EMISSION_METHODS: readonly EmissionMethod[] = [CURRENT_EMISSION_METHOD];

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
