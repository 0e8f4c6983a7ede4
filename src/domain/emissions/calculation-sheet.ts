import { decimalText, readDecimal } from '../numbers/decimal.ts';
import { displayEmissions } from './emissions-display.ts';
import type { Estimate } from './estimate.ts';

/** One step of a calculation that a person can repeat by hand: `12.345 × 207.51` gives `2561.71095`. */
export interface CalculationStep {
  readonly name: 'product' | 'division' | 'threshold' | 'rounding';
  readonly expression: string;
  readonly result: string;
  /** The unit of the result; `null` for the answer to a question. */
  readonly unit: 'gco2e' | 'kgco2e' | null;
}

/**
 * Every input and step of an estimate's digits.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels, "the sheet behind an estimate".
 */
export interface CalculationSheet
  extends Pick<
    Estimate,
    | 'calculationId'
    | 'distanceKm'
    | 'vehicleCategory'
    | 'emissionFactorGco2ePerKm'
    | 'methodologyVersion'
    | 'vehicleCatalogVersion'
    | 'emissionFactorVersion'
    | 'lifecycleBoundary'
  > {
  readonly distanceUnit: 'km';
  readonly emissionFactorUnit: 'gco2e_per_km';
  readonly steps: readonly CalculationStep[];
  /** How the rounding step rounds a half. */
  readonly roundingMode: 'half_up';
}

const KM_DECIMALS = 3;
const FACTOR_DECIMALS = 2;
const GRAMS_DECIMALS = KM_DECIMALS + FACTOR_DECIMALS;
const KILOGRAMS_DECIMALS = GRAMS_DECIMALS + 3;

/**
 * The calculation sheet of an estimate: distance times factor, divided by 1000, compared with the threshold before rounding. It is
 * computed again from the stored distance and factor, in exact arithmetic.
 *
 * @throws Error When the stored result differs: a defect, or a modified record.
 * @see docs/spec/interface.md#createdeliveryemissionsestimate, Calculation; docs/spec/interface.md#estimate-object-estimate, Display
 * rules 1 and 2.
 */
export function calculationSheet(estimate: Estimate): CalculationSheet {
  const { distanceKm, emissionFactorGco2ePerKm, rawEmissionsGco2e, estimatedEmissionsKgco2e } = estimate;
  const [distance, factor] = [readDecimal(distanceKm, KM_DECIMALS), readDecimal(emissionFactorGco2ePerKm, FACTOR_DECIMALS)];
  const product = distance !== undefined && factor !== undefined ? distance * factor : -1n;
  if (
    product < 0n ||
    decimalText(product, GRAMS_DECIMALS) !== rawEmissionsGco2e ||
    decimalText(product, KILOGRAMS_DECIMALS) !== estimatedEmissionsKgco2e
  )
    throw new Error(`The estimate ${estimate.calculationId} does not follow from its distance and factor`);
  return {
    calculationId: estimate.calculationId,
    distanceKm,
    distanceUnit: 'km',
    vehicleCategory: estimate.vehicleCategory,
    emissionFactorGco2ePerKm,
    emissionFactorUnit: 'gco2e_per_km',
    steps: [
      { name: 'product', expression: `${distanceKm} × ${emissionFactorGco2ePerKm}`, result: rawEmissionsGco2e, unit: 'gco2e' },
      { name: 'division', expression: `${rawEmissionsGco2e} ÷ 1000`, result: estimatedEmissionsKgco2e, unit: 'kgco2e' },
      ...displaySteps(estimatedEmissionsKgco2e),
    ],
    roundingMode: 'half_up',
    methodologyVersion: estimate.methodologyVersion,
    vehicleCatalogVersion: estimate.vehicleCatalogVersion,
    emissionFactorVersion: estimate.emissionFactorVersion,
    lifecycleBoundary: estimate.lifecycleBoundary,
  };
}

/** A value below the threshold is displayed as such, and not rounded. */
function displaySteps(kilograms: string): CalculationStep[] {
  const { usesLessThanThreshold, kgco2eTwoDecimals } = displayEmissions(kilograms);
  const threshold: CalculationStep = {
    name: 'threshold',
    expression: `${kilograms} < 0.01`,
    result: String(usesLessThanThreshold),
    unit: null,
  };
  const expression = usesLessThanThreshold ? 'not rounded: below the threshold' : `${kilograms} rounded half up to two decimals`;
  return [threshold, { name: 'rounding', expression, result: kgco2eTwoDecimals, unit: 'kgco2e' }];
}
