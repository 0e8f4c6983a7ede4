import type { ErrorCode } from '../../domain/error-codes.ts';
import type { RecoverableOperation } from '../../domain/recovery-verdict.ts';
import type { ServiceError } from '../../domain/service-error.ts';
import { eventNotFound } from '../../operations/events/list-events.ts';
import { impactBatchNotFound } from '../../operations/impact/read-environmental-status.ts';
import { reconciliationNotFound } from '../../operations/reconciliations/reconcile-settlement.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { factorsNotFound } from '../emissions/emission-factors-not-found.ts';
import { SANDBOX_OPERATIONS } from './openapi-sandbox-operations.ts';
import { SELF_SERVICE_OPERATIONS } from './openapi-self-service-operations.ts';

export type OperationId = keyof typeof OPERATIONS;

export interface OperationText {
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly errors: readonly ErrorCode[];
  readonly recoverable?: RecoverableOperation;
  /** The code for an unknown record when the interface has none. */
  readonly notFound?: ServiceError;
}

const ACCESS = ['unauthorized', 'forbidden'] as const satisfies ErrorCode[];
const SERVICE = ['rate_limited', 'internal_service_unavailable'] as const satisfies ErrorCode[];

/** The text of each operation in the reference, and the errors that it can answer. */
export const OPERATIONS = {
  confirmContribution: {
    tag: 'Contributions',
    summary: 'Confirm a contribution',
    description:
      "Records a contribution after the partner has deducted the customer's points. Confirmed is terminal and non-refundable. After a time-out look up by `partner_event_id`; when nothing is found, send the identical request again.",
    errors: [
      'invalid_request',
      'invalid_point_amount',
      ...ACCESS,
      'partner_suspended',
      'idempotency_conflict',
      'partner_event_conflict',
      'partner_order_conflict',
      'contribution_pending',
      'contribution_final_failure',
      ...SERVICE,
    ],
    recoverable: 'confirm',
  },
  getContributionByPartnerEventId: {
    tag: 'Contributions',
    summary: 'Find a contribution by its event',
    description:
      'Finds a contribution after a time-out or another unknown result. `contribution_not_found` is not a final failure. With `created_after`, `created_before`, `status`, `limit` or `after`, and without `partner_event_id`, the path lists contributions by time: the partner guide describes it, and `x-list` has its members.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  getContributionById: {
    tag: 'Contributions',
    summary: 'Get a contribution',
    description: 'Reads a contribution by its `transaction_id`, with its present association.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  createDeliveryEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Estimate the emissions of a delivery',
    description:
      'Calculates a well-to-wheel estimate from distance and vehicle type, for information. A confirmation does not need it.',
    errors: [
      'invalid_request',
      'invalid_distance',
      'unsupported_vehicle',
      ...ACCESS,
      'partner_suspended',
      'idempotency_conflict',
      ...SERVICE,
    ],
  },
  getDeliveryEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Get an estimate',
    description: 'Reads an estimate: for 24 hours, and permanently once it is linked.',
    errors: ['invalid_request', ...ACCESS, 'estimate_not_found', 'estimate_expired', ...SERVICE],
  },
  associateEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Link an estimate with a contribution',
    description:
      'Links one estimate permanently with one confirmed contribution of the same order. A refusal never changes the contribution.',
    errors: [
      'invalid_request',
      ...ACCESS,
      'partner_suspended',
      'contribution_not_found',
      'estimate_not_found',
      'idempotency_conflict',
      'association_conflict',
      'contribution_pending',
      'estimate_expired',
      'calculation_mismatch',
      'contribution_final_failure',
      ...SERVICE,
    ],
    recoverable: 'associate',
  },
  getEstimateCalculation: {
    tag: 'Emissions',
    summary: 'Get the calculation behind an estimate',
    description:
      'Shows distance, factor, product, division, threshold and rounding, so that a person can repeat the calculation.',
    errors: ['invalid_request', ...ACCESS, 'estimate_not_found', 'estimate_expired', ...SERVICE],
  },
  listEmissionFactors: {
    tag: 'Emissions',
    summary: 'List the emission factors',
    description: 'Lists all versions of the factors, the oldest first. The service claims no conformity with a standard.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getEmissionFactors: {
    tag: 'Emissions',
    summary: 'Get a version of the emission factors',
    description: 'Reads a version of the factors by the `emission_factor_version` of an estimate.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: factorsNotFound(),
  },
  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description:
      'Lists all events of the partner in the order of their `sequence`, for a receiver that was down. Store `next_after_sequence` and begin there the next time. An event appears within a second of its change.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getEvent: {
    tag: 'Events',
    summary: 'Get an event',
    description: 'Reads an event by its `event_id`, in the bytes that webhooks send.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: eventNotFound(),
  },
  listSettlements: {
    tag: 'Settlements',
    summary: 'List settlements',
    description:
      'Lists the settlements of all periods, the latest first. One settlement is open at any time; `as_of` says when the service computed its totals.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getSettlement: {
    tag: 'Settlements',
    summary: 'Get a settlement',
    description:
      'Reads a settlement. A closed one never changes; for an open one `as_of` says when the service computed its totals.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  listSettlementLines: {
    tag: 'Settlements',
    summary: 'List the lines of a settlement',
    description: 'Lists the lines of a closed settlement as in the statement: one for each contribution and adjustment.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  getSettlementStatement: {
    tag: 'Settlements',
    summary: 'Download the statement of a settlement',
    description:
      'Sends all lines as CSV, in the same bytes every time: `csv_sha256` of the settlement is their SHA-256. An open settlement has no statement. A partner may download two at a time; the service answers a third with `rate_limited`.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  acknowledgeSettlement: {
    tag: 'Settlements',
    summary: 'Accept or dispute a settlement',
    description: 'Records that the partner accepts or disputes a closed settlement. It does not open the settlement again.',
    errors: ['invalid_request', ...ACCESS, 'idempotency_conflict', ...SERVICE],
    notFound: settlementNotFound(),
  },
  reconcileSettlement: {
    tag: 'Settlements',
    summary: 'Compare a list of your own with a settlement',
    description:
      'Compares a list of up to a million lines or 100 MiB. Sending it may take 15 minutes and pause for 30 seconds. The service reports malformed lines and compares the rest. A partner may send one list at a time; the service answers another with `rate_limited`. A suspended partner may not begin one, but may replay one. Send a list that broke off again, with the same Idempotency-Key.',
    errors: ['invalid_request', ...ACCESS, 'partner_suspended', 'idempotency_conflict', ...SERVICE],
    notFound: settlementNotFound(),
  },
  getReconciliation: {
    tag: 'Settlements',
    summary: 'Get a reconciliation',
    description: 'Shows the progress of a reconciliation, and the counts by verdict.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: reconciliationNotFound(),
  },
  listReconciliationLines: {
    tag: 'Settlements',
    summary: 'List the lines of a reconciliation',
    description:
      'Lists all lines, or those of one verdict. For a line that is missing in the service, look up the contribution, then retry the original confirmation; never restore points.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: reconciliationNotFound(),
  },
  getEnvironmentalStatus: {
    tag: 'Environment',
    summary: 'Get the environmental status of a contribution',
    description:
      'Shows the progress of the planting that the contribution supports. It is the status of a whole impact batch and does not change the contribution. Only a confirmed contribution has one.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  ...SELF_SERVICE_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  listImpactBatchTransactions: {
    tag: 'Environment',
    summary: 'List your contributions in an impact batch',
    description:
      'Lists the contributions of this partner in the impact batch by settlement, and shows the progress of the batch.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: impactBatchNotFound(),
  },
} as const satisfies Record<string, OperationText>;

/** The part of a route's schema that only people read. */
export function describeOperation(operationId: OperationId): {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
} {
  const { summary, description, tag } = OPERATIONS[operationId];
  return { operationId, summary, description, tags: [tag] };
}
