import { decimalText } from '../numbers/decimal.ts';
import { EMISSION_METHODS, type EmissionMethod, VEHICLE_CATEGORIES, type VehicleCategory } from './calculate-emissions.ts';

/** What anyone may know of one version of the emission factors. */
export interface EmissionFactors {
  readonly emissionFactorVersion: string;
  readonly methodologyVersion: string;
  readonly vehicleCatalogVersion: string;
  readonly lifecycleBoundary: 'well_to_wheel';
  /** Of every factor below. */
  readonly unit: 'gco2e_per_km';
  /** A factor is for the whole vehicle: nothing is shared out between the parcels that it carries. */
  readonly allocation: 'whole_vehicle';
  /** UTC; `null`: from the first estimate on. */
  readonly validFrom: string | null;
  /** UTC, exclusive; `null`: until another version follows. */
  readonly validUntil: string | null;
  readonly factors: readonly { readonly vehicleCategory: VehicleCategory; readonly emissionFactorGco2ePerKm: string }[];
  /** Where the factors come from, in the operator's words; `null` where no operator has said so, since the interface does not. */
  readonly source: string | null;
}

/** What operators have said of the source of each version of the factors. */
export type FactorSources = Readonly<Record<string, string>>;

/**
 * Every version of the factors there ever was, oldest first. No conformity with a standard is claimed.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels: the estimate's labels come from a versioned table in the
 * code.
 */
export function listEmissionFactors(sources: FactorSources = {}): EmissionFactors[] {
  return EMISSION_METHODS.map((method) => describeMethod(method, sources));
}

/** One version of the factors; `undefined` where there never was one of this label. */
export function findEmissionFactors(emissionFactorVersion: string, sources: FactorSources = {}): EmissionFactors | undefined {
  const method = EMISSION_METHODS.find((each) => each.emissionFactorVersion === emissionFactorVersion);
  return method && describeMethod(method, sources);
}

function describeMethod(method: EmissionMethod, sources: FactorSources): EmissionFactors {
  const { factorCentigramsPerKm, ...versions } = method;
  const { emissionFactorVersion } = versions;
  return {
    ...versions,
    unit: 'gco2e_per_km',
    allocation: 'whole_vehicle',
    factors: VEHICLE_CATEGORIES.map((vehicleCategory) => ({
      vehicleCategory,
      emissionFactorGco2ePerKm: decimalText(factorCentigramsPerKm[vehicleCategory], 2),
    })),
    source: Object.hasOwn(sources, emissionFactorVersion) ? (sources[emissionFactorVersion] ?? null) : null,
  };
}
