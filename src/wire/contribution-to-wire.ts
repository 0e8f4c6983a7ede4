/**
 * What the contract calls its fields: the change from our names to those on the wire, for answers and events alike, happens in this
 * folder; on the way in it happens in each route. No rules, no SQL and no HTTP.
 */
import type { Environment } from '../domain/access/api-key.ts';
import type { Contribution } from '../domain/contributions/contribution.ts';
import { nonRefundable } from '../domain/contributions/contribution-status.ts';
import type { Association, EmissionsLink } from '../domain/emissions/association.ts';
import type { CalculationSheet } from '../domain/emissions/calculation-sheet.ts';
import type { EmissionFactors } from '../domain/emissions/emission-factors.ts';
import { displayEmissions } from '../domain/emissions/emissions-display.ts';
import type { Estimate } from '../domain/emissions/estimate.ts';
import { DISCLOSURE_AR, DISCLOSURE_EN } from '../domain/texts.ts';
import type { ContributionRecord } from '../store/contributions/contribution.ts';
import { currentAssociation } from './association-outcome.ts';

export function contributionToWire(contribution: Contribution, environment: Environment) {
  const { summaryEn, summaryAr } = contribution.expectedEnvironmentalSupport;
  return {
    transaction_id: contribution.transactionId,
    partner_event_id: contribution.partnerEventId,
    partner_order_ref: contribution.partnerOrderRef,
    status: contribution.status,
    points: contribution.points,
    opaque_customer_ref: contribution.opaqueCustomerRef,
    contribution_rule_version: contribution.contributionRuleVersion,
    point_conversion_version: contribution.pointConversionVersion,
    tree_cost_version: contribution.treeCostVersion,
    expected_environmental_support: { summary_en: summaryEn, summary_ar: summaryAr },
    non_refundable: nonRefundable(contribution.status),
    environment,
    created_at: contribution.createdAt.toISOString(),
    confirmed_at: contribution.confirmedAt?.toISOString() ?? null,
    failed_at: contribution.failedAt?.toISOString() ?? null,
  };
}

/** What both look-ups answer: the contribution, and its association as it stands now. */
export function recordToWire(record: ContributionRecord, environment: Environment, correlationId: string) {
  return {
    contribution: contributionToWire(record.contribution, environment),
    association: associationToWire(currentAssociation(record), environment),
    request: { correlation_id: correlationId },
  };
}

export function associationToWire(association: Association, environment: Environment) {
  switch (association.status) {
    case 'not_requested':
      return { status: 'not_requested' };
    case 'rejected': {
      const { code, message, calculationId } = association.rejection;
      return { status: 'rejected', rejection: { code, message, calculation_id: calculationId } };
    }
    case 'associated':
      return { status: 'associated', link: linkToWire(association.link, environment) };
  }
}

function linkToWire(link: EmissionsLink, environment: Environment) {
  return {
    association_id: link.associationId,
    transaction_id: link.transactionId,
    calculation_id: link.calculationId,
    partner_order_ref: link.partnerOrderRef,
    estimated_emissions_kgco2e: link.estimatedEmissionsKgco2e,
    estimated_emissions_unit: 'kgco2e',
    distance_km: link.distanceKm,
    distance_unit: 'km',
    vehicle_category: link.vehicleCategory,
    methodology_version: link.methodologyVersion,
    emission_factor_version: link.emissionFactorVersion,
    calculated_at: link.calculatedAt.toISOString(),
    associated_at: link.associatedAt.toISOString(),
    environment,
    immutable: true,
  };
}

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
