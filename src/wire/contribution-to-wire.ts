/**
 * This folder translates records to the contract's field names, for answers and events alike; each route translates its input. No rules,
 * no SQL and no HTTP.
 */
import type { Environment } from '../domain/access/api-key.ts';
import type { Contribution } from '../domain/contributions/contribution.ts';
import { nonRefundable } from '../domain/contributions/contribution-status.ts';
import type { Association, EmissionsLink } from '../domain/emissions/association.ts';
import type { LookedUpContribution } from '../store/contributions/looked-up-contribution.ts';
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

/** The answer of both look-ups: the contribution, and its current association. */
export function recordToWire(record: LookedUpContribution, environment: Environment, correlationId: string) {
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
