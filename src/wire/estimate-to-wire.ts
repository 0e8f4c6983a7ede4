import type { Environment } from '../domain/access/api-key.ts';
import { DISCLOSURE_AR, DISCLOSURE_EN } from '../domain/customer-texts.ts';
import type { CalculationSheet } from '../domain/emissions/calculation-sheet.ts';
import type { EmissionFactors } from '../domain/emissions/emission-factors.ts';
import { displayEmissions } from '../domain/emissions/emissions-display.ts';
import type { Estimate } from '../domain/emissions/estimate.ts';

export function estimateToWire(estimate: Estimate, environment: Environment) {
  const display = displayEmissions(estimate.estimatedEmissionsKgco2e);
  return {
    calculation_id: estimate.calculationId,
    partner_order_ref: estimate.partnerOrderRef,
    status: estimate.status,
    distance_km: estimate.distanceKm,
    distance_unit: 'km',
    vehicle_category: estimate.vehicleCategory,
    methodology_version: estimate.methodologyVersion,
    vehicle_catalog_version: estimate.vehicleCatalogVersion,
    emission_factor_version: estimate.emissionFactorVersion,
    emission_factor_gco2e_per_km: estimate.emissionFactorGco2ePerKm,
    lifecycle_boundary: estimate.lifecycleBoundary,
    raw_emissions_gco2e: estimate.rawEmissionsGco2e,
    estimated_emissions_kgco2e: estimate.estimatedEmissionsKgco2e,
    display: {
      kgco2e_two_decimals: display.kgco2eTwoDecimals,
      uses_less_than_threshold: display.usesLessThanThreshold,
      formatted_en: display.formattedEn,
      formatted_ar: display.formattedAr,
    },
    disclosure_en: DISCLOSURE_EN,
    disclosure_ar: DISCLOSURE_AR,
    calculated_at: estimate.calculatedAt.toISOString(),
    expires_at: estimate.expiresAt.toISOString(),
    environment,
  };
}

export function emissionFactorsToWire(factors: EmissionFactors) {
  return {
    emission_factor_version: factors.emissionFactorVersion,
    methodology_version: factors.methodologyVersion,
    vehicle_catalog_version: factors.vehicleCatalogVersion,
    lifecycle_boundary: factors.lifecycleBoundary,
    unit: factors.unit,
    allocation: factors.allocation,
    valid_from: factors.validFrom,
    valid_until: factors.validUntil,
    factors: factors.factors.map(({ vehicleCategory, emissionFactorGco2ePerKm }) => ({
      vehicle_category: vehicleCategory,
      emission_factor_gco2e_per_km: emissionFactorGco2ePerKm,
    })),
    source: factors.source,
  };
}

export function calculationToWire(sheet: CalculationSheet) {
  return {
    calculation_id: sheet.calculationId,
    distance_km: sheet.distanceKm,
    distance_unit: sheet.distanceUnit,
    vehicle_category: sheet.vehicleCategory,
    emission_factor_gco2e_per_km: sheet.emissionFactorGco2ePerKm,
    emission_factor_unit: sheet.emissionFactorUnit,
    steps: sheet.steps.map(({ name, expression, result, unit }) => ({ name, expression, result, unit })),
    rounding_mode: sheet.roundingMode,
    methodology_version: sheet.methodologyVersion,
    vehicle_catalog_version: sheet.vehicleCatalogVersion,
    emission_factor_version: sheet.emissionFactorVersion,
    lifecycle_boundary: sheet.lifecycleBoundary,
  };
}
