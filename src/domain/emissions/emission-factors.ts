import { decimalText } from '../numbers/decimal.ts';

/** @see docs/spec/interface.md#estimate-object-estimate, field vehicle_category. */
export const VEHICLE_CATEGORIES = ['motorcycle_gasoline', 'car_gasoline'] as const;

export type VehicleCategory = (typeof VEHICLE_CATEGORIES)[number];

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

/** The public description of one version of the emission factors. */
export interface EmissionFactors {
  readonly emissionFactorVersion: string;
  readonly methodologyVersion: string;
  readonly vehicleCatalogVersion: string;
  readonly lifecycleBoundary: 'well_to_wheel';
  /** The unit of every factor below. */
  readonly unit: 'gco2e_per_km';
  /** A factor is for the whole vehicle: it is not divided among the parcels. */
  readonly allocation: 'whole_vehicle';
  /** UTC; `null`: from the first estimate on. */
  readonly validFrom: string | null;
  /** UTC, exclusive; `null`: until another version follows. */
  readonly validUntil: string | null;
  readonly factors: readonly { readonly vehicleCategory: VehicleCategory; readonly emissionFactorGco2ePerKm: string }[];
  /** The source of the factors; `null` while no operator has stated one, since the interface names none. */
  readonly source: string | null;
}

/**
 * All versions of the factors, oldest first. No conformity with a standard is claimed.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels: the estimate's labels come from a versioned table in the code.
 */
export function listEmissionFactors(): EmissionFactors[] {
  return EMISSION_METHODS.map(describeMethod);
}

/** One version of the factors; `undefined` for an unknown label. */
export function findEmissionFactors(emissionFactorVersion: string): EmissionFactors | undefined {
  const method = EMISSION_METHODS.find((each) => each.emissionFactorVersion === emissionFactorVersion);
  return method && describeMethod(method);
}

function describeMethod(method: EmissionMethod): EmissionFactors {
  const { factorCentigramsPerKm, ...versions } = method;
  return {
    ...versions,
    unit: 'gco2e_per_km',
    allocation: 'whole_vehicle',
    factors: VEHICLE_CATEGORIES.map((vehicleCategory) => ({
      vehicleCategory,
      emissionFactorGco2ePerKm: decimalText(factorCentigramsPerKm[vehicleCategory], 2),
    })),
    source: null,
  };
}
