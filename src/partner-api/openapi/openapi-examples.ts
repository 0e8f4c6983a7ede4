import type { Contribution } from '../../domain/contributions/contribution.ts';
import { supportTexts } from '../../domain/customer-texts.ts';
import type { DetailCode } from '../../domain/detail-codes.ts';
import type { Association, EmissionsLink } from '../../domain/emissions/association.ts';
import { rejectionOf } from '../../domain/emissions/association-refusals.ts';
import { estimateEmissions } from '../../domain/emissions/calculate-emissions.ts';
import { calculationSheet } from '../../domain/emissions/calculation-sheet.ts';
import { listEmissionFactors } from '../../domain/emissions/emission-factors.ts';
import type { Estimate } from '../../domain/emissions/estimate.ts';
import type { ErrorCode } from '../../domain/error-codes.ts';
import { existingRecord } from '../../domain/recovery-verdict.ts';
import { DEFAULT_RULES } from '../../domain/rules/contribution-rules.ts';
import type { ErrorDetail } from '../../domain/service-error.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { calculationToWire, emissionFactorsToWire, estimateToWire } from '../../wire/estimate-to-wire.ts';
import { EXAMPLE_NEXT_AFTER } from '../paging.ts';

/** Written by the code of real answers, so that an example is never outdated. */

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
export type Examples = Record<string, Example>;

const CALCULATION_ID = 'calc_01KAHV4Q6J9M3T5W7XZ2B4D6F8';
const TRANSACTION_ID = 'txn_01KAHV5B8R2N4Q6S8V0X2Z4C6E';
const OTHER_TRANSACTION_ID = 'txn_01KAHTW7K3G5J7M9P1R3T5V7X9';
const ORDER = 'order-10293';
const AT = new Date('2026-11-20T19:29:00.000Z');
const RESOLVED_AT = new Date('2026-11-20T20:02:41.120Z');
export const echo = { correlation_id: 'corr-2026-11-20-0001' };
export const keyedEcho = { ...echo, idempotency_key: 'confirm-order-10293' };

export const estimate: Estimate = {
  calculationId: CALCULATION_ID,
  partnerOrderRef: ORDER,
  status: 'calculated',
  distanceKm: '12.345',
  vehicleCategory: 'car_gasoline',
  ...estimateEmissions(12_345, 'car_gasoline'),
  calculatedAt: new Date('2026-11-20T19:28:12.000Z'),
  expiresAt: new Date('2026-11-21T19:28:12.000Z'),
};

export const contribution: Contribution = {
  transactionId: TRANSACTION_ID,
  partnerEventId: 'contribution-10293-1',
  partnerOrderRef: ORDER,
  status: 'confirmed',
  points: 250n,
  opaqueCustomerRef: 'c-5f1e77',
  ...DEFAULT_RULES,
  expectedEnvironmentalSupport: supportTexts(250n, undefined),
  createdAt: AT,
  confirmedAt: AT,
  failedAt: null,
};

export const link: EmissionsLink = {
  ...estimate,
  associationId: 'assoc_01KAHV5B8S0A1C3E5G7J9M2P4R',
  transactionId: TRANSACTION_ID,
  associatedAt: AT,
};
export const notRequested: Association = { status: 'not_requested' };
const associated: Association = { status: 'associated', link };
const rejected: Association = { status: 'rejected', rejection: rejectionOf('estimate_expired', CALCULATION_ID) };
const waiting: Association = { status: 'rejected', rejection: rejectionOf('contribution_pending', CALCULATION_ID) };

const pending: Contribution = { ...contribution, status: 'pending', confirmedAt: null };
export const failed: Contribution = { ...pending, status: 'failed', failedAt: RESOLVED_AT };

/** JSON of an example: points of this size are safe as a number. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_name, item) => (typeof item === 'bigint' ? Number(item) : item)));
}

function contributionExample(summary: string, shown: Contribution, association: Association, request: object): Example {
  const value = {
    contribution: contributionToWire(shown, 'sandbox'),
    association: associationToWire(association, 'sandbox'),
    request,
  };
  return { summary, value: plain(value) };
}

function estimateExample(summary: string, association: Association): Example {
  return {
    summary,
    value: {
      estimate: estimateToWire(estimate, 'sandbox'),
      association: associationToWire(association, 'sandbox'),
      request: echo,
    },
  };
}

const found: Examples = {
  confirmed: contributionExample('Confirmed', contribution, notRequested, echo),
  associated: contributionExample('Confirmed, with a link', contribution, associated, echo),
  pending: contributionExample('Pending: do not restore points', pending, waiting, echo),
  failed: contributionExample('Failed for good: points may be restored once', failed, notRequested, echo),
};

const factors = listEmissionFactors().map(emissionFactorsToWire);

/** Examples of the answers, by operation and status. */
export const RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  confirmContribution: {
    '201': {
      not_requested: contributionExample('No estimate asked for', contribution, notRequested, keyedEcho),
      associated: contributionExample('Estimate linked', contribution, associated, keyedEcho),
      rejected: contributionExample('Estimate rejected; the contribution stands', contribution, rejected, keyedEcho),
    },
    '202': { pending: contributionExample('An operator reviews it', pending, waiting, keyedEcho) },
  },
  getContributionByPartnerEventId: { '200': found },
  getContributionById: { '200': found },
  createDeliveryEmissionsEstimate: { '201': { calculated: estimateExample('Calculated', notRequested) } },
  getDeliveryEmissionsEstimate: {
    '200': { calculated: estimateExample('Not linked yet', notRequested), associated: estimateExample('Linked', associated) },
  },
  getEstimateCalculation: {
    '200': {
      by_car: {
        summary: '12.345 km by car',
        value: { calculation: calculationToWire(calculationSheet(estimate)), request: echo },
      },
    },
  },
  listEmissionFactors: {
    '200': {
      all: {
        summary: 'All versions',
        value: { emission_factors: factors, next_after: EXAMPLE_NEXT_AFTER, has_more: false, request: echo },
      },
    },
  },
  getEmissionFactors: { '200': { one: { summary: 'One version', value: { emission_factors: factors[0], request: echo } } } },
  associateEmissionsEstimate: {
    '201': {
      associated: {
        summary: 'Linked',
        value: {
          association: associationToWire(associated, 'sandbox'),
          contribution_status: 'confirmed',
          request: { ...echo, idempotency_key: 'link-order-10293' },
        },
      },
    },
  },
};

export const REQUEST_EXAMPLES: Record<string, Examples> = {
  confirmContribution: {
    plain: {
      summary: 'A contribution',
      value: { partner_event_id: 'contribution-10293-1', partner_order_ref: ORDER, points: 250 },
    },
    with_estimate: {
      summary: 'With an estimate and a customer reference',
      value: {
        partner_event_id: 'contribution-10294-1',
        partner_order_ref: 'order-10294',
        points: 250,
        calculation_id: CALCULATION_ID,
        opaque_customer_ref: 'c-5f1e77',
      },
    },
  },
  createDeliveryEmissionsEstimate: {
    car: {
      summary: 'A delivery by car',
      value: { partner_order_ref: ORDER, distance_km: '12.345', distance_unit: 'km', vehicle_category: 'car_gasoline' },
    },
  },
  associateEmissionsEstimate: { link: { summary: 'Link an estimate', value: { calculation_id: CALCULATION_ID } } },
};

interface ErrorExample {
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

function error(message: string, ...details: ErrorDetail[]): ErrorExample {
  return { message, details };
}

function onField(field: string, code: DetailCode, message: string): ErrorExample {
  return error(message, { field, code, message });
}

/** One per code; the recovery verdict is added where the operation carries it. */
export const ERROR_EXAMPLES: Record<ErrorCode, ErrorExample> = {
  invalid_request: onField('Idempotency-Key', 'missing', 'Idempotency-Key is missing in the headers.'),
  invalid_point_amount: onField(
    'points',
    'too_small',
    'points must be a whole number from 1 to 9223372036854775807, as a JSON number; it is too small.',
  ),
  unsupported_vehicle: onField(
    'vehicle_category',
    'unsupported_value',
    'vehicle_category must be "motorcycle_gasoline" or "car_gasoline"; it is a string of 7 characters.',
  ),
  invalid_distance: onField(
    'distance_km',
    'wrong_form',
    'distance_km must be a decimal in a string, greater than 0 and at most 200.',
  ),
  unauthorized: error(
    'The API key is missing, malformed, unknown, revoked or expired. Send a valid key in the header X-API-Key; the service does not read Authorization.',
  ),
  forbidden: error('This API key is read-only. Use a key with the permission read_write.'),
  partner_suspended: error(
    'The partner is suspended: the service records nothing new. Look-ups and replays of stored records still work.',
  ),
  contribution_not_found: error('No contribution is recorded for this partner_event_id. This is not a final failure.'),
  estimate_not_found: error('There is no estimate with this calculation_id; check the calculation_id, or create a new estimate.'),
  idempotency_conflict: onField(
    'Idempotency-Key',
    'other_payload',
    'This Idempotency-Key was used with another payload. Look up what was recorded. If this is another request, send it under a new Idempotency-Key.',
  ),
  partner_event_conflict: error(
    'This partner_event_id is recorded under another Idempotency-Key, with the same payload.',
    { field: 'partner_event_id', code: 'same_payload', message: 'The payload is the same.' },
    existingRecord(TRANSACTION_ID),
  ),
  partner_order_conflict: error(
    'Another contribution is confirmed for this partner_order_ref.',
    existingRecord(OTHER_TRANSACTION_ID),
  ),
  association_conflict: error(
    'The contribution or the estimate already has a link, and links are immutable.',
    existingRecord(OTHER_TRANSACTION_ID),
  ),
  contribution_pending: error(
    'A pending contribution of another event holds this partner_order_ref.',
    existingRecord(OTHER_TRANSACTION_ID),
  ),
  estimate_expired: error('The estimate has expired without an association. Create a new one.'),
  calculation_mismatch: error("The estimate's partner_order_ref is not the contribution's."),
  contribution_final_failure: error('The contribution has failed permanently.', existingRecord(TRANSACTION_ID)),
  rate_limited: error('More than 100 writes a second. Wait 1 s (Retry-After), then send the same request again.'),
  internal_service_unavailable: error('The service could not complete the request; its outcome is unknown.'),
};
