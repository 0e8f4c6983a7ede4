import type { ErrorCode } from '../../domain/error-codes.ts';
import type { RecoverableOperation } from '../../domain/recovery-verdict.ts';
import type { ServiceError } from '../../domain/service-error.ts';
import { eventNotFound } from '../../operations/events/list-events.ts';
import { impactBatchNotFound } from '../../operations/impact/read-environmental-status.ts';
import { reconciliationNotFound } from '../../operations/reconciliations/reconcile-settlement.ts';
import { settlementNotFound } from '../../operations/settlements/read-settlements.ts';
import { factorsNotFound } from '../emissions/emission-factors-not-found.ts';
import { SANDBOX_OPERATIONS } from './sandbox-operations.ts';
import { SELF_SERVICE_OPERATIONS } from './self-service-operations.ts';

export type OperationId = keyof typeof OPERATIONS;

export interface OperationText {
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly errors: readonly ErrorCode[];
  readonly recoverable?: RecoverableOperation;
  /** What is answered for an unknown record where no code of the interface says so. */
  readonly notFound?: ServiceError;
}

const ACCESS = ['unauthorized', 'forbidden'] as const satisfies ErrorCode[];
const SERVICE = ['rate_limited', 'internal_service_unavailable'] as const satisfies ErrorCode[];

/** What the reference says of each operation, and the errors that it can answer. */
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
      'The way to recover after a time-out or an unknown result. `contribution_not_found` is not a final failure. With `created_after`, `created_before` or `status` instead of `partner_event_id` the path lists contributions by time: the partner guide describes it.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  getContributionById: {
    tag: 'Contributions',
    summary: 'Get a contribution',
    description: 'By the `transaction_id` that the confirmation gave, with the association as it stands now.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  createDeliveryEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Estimate the emissions of a delivery',
    description:
      'A well-to-wheel estimate from distance and vehicle type, for information. It is not needed to confirm a contribution.',
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
    description: 'Readable for 24 hours, and for good once it is linked.',
    errors: ['invalid_request', ...ACCESS, 'estimate_not_found', 'estimate_expired', ...SERVICE],
  },
  associateEmissionsEstimate: {
    tag: 'Emissions',
    summary: 'Link an estimate with a contribution',
    description:
      'Links one estimate with one confirmed contribution of the same order, for good. A refusal never changes the contribution.',
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
    description: 'Distance, factor, product, division, threshold and rounding: enough to get the same digits by hand.',
    errors: ['invalid_request', ...ACCESS, 'estimate_not_found', 'estimate_expired', ...SERVICE],
  },
  listEmissionFactors: {
    tag: 'Emissions',
    summary: 'List the emission factors',
    description: 'Every version of the factors, oldest first. No conformity with a standard is claimed.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getEmissionFactors: {
    tag: 'Emissions',
    summary: 'Get a version of the emission factors',
    description: 'By the `emission_factor_version` that an estimate carries.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: factorsNotFound(),
  },
  listEvents: {
    tag: 'Events',
    summary: 'List events',
    description:
      'All events of the partner by their `sequence`, for a receiver that was down. Keep `next_after_sequence` and begin there the next time. An event is here within a second of its change.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getEvent: {
    tag: 'Events',
    summary: 'Get an event',
    description: 'By its `event_id`, as webhooks send it, byte for byte.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: eventNotFound(),
  },
  listSettlements: {
    tag: 'Settlements',
    summary: 'List settlements',
    description:
      'What was contributed in each period, the latest first. One settlement is open at any time; its totals are those of the moment, `as_of`.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
  },
  getSettlement: {
    tag: 'Settlements',
    summary: 'Get a settlement',
    description: 'Once it is closed it never changes. While it is open its totals are those of the moment, `as_of`.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  listSettlementLines: {
    tag: 'Settlements',
    summary: 'List the lines of a settlement',
    description: 'One for each contribution and adjustment on it, as in the statement, page by page.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  getSettlementStatement: {
    tag: 'Settlements',
    summary: 'Download the statement of a settlement',
    description:
      'All lines as CSV, in the same bytes every time: their SHA-256 is `csv_sha256` of the settlement. There is none while the settlement is open. Two at a time for each partner: `rate_limited` beyond.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: settlementNotFound(),
  },
  acknowledgeSettlement: {
    tag: 'Settlements',
    summary: 'Accept or dispute a settlement',
    description: 'Says that a closed settlement is right, or that it is not. It reopens nothing.',
    errors: ['invalid_request', ...ACCESS, 'idempotency_conflict', ...SERVICE],
    notFound: settlementNotFound(),
  },
  reconcileSettlement: {
    tag: 'Settlements',
    summary: 'Compare a list of your own with a settlement',
    description:
      'Takes up to a million lines or 100 MiB, as a stream that may take 15 minutes and pause for 30 seconds. Malformed lines are told, and the rest is compared. One at a time for each partner: `rate_limited` until then. A suspended partner begins none; a replay is answered. A list that broke off before its end is sent again under the same key.',
    errors: ['invalid_request', ...ACCESS, 'partner_suspended', 'idempotency_conflict', ...SERVICE],
    notFound: settlementNotFound(),
  },
  getReconciliation: {
    tag: 'Settlements',
    summary: 'Get a reconciliation',
    description: 'How far it is, and the counts by verdict.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: reconciliationNotFound(),
  },
  listReconciliationLines: {
    tag: 'Settlements',
    summary: 'List the lines of a reconciliation',
    description:
      'All lines, or those of one verdict, page by page. A line that is missing in the service says what to do: look up, then retry the original confirmation; never restore points.',
    errors: ['invalid_request', ...ACCESS, ...SERVICE],
    notFound: reconciliationNotFound(),
  },
  getEnvironmentalStatus: {
    tag: 'Environment',
    summary: 'Get the environmental status of a contribution',
    description:
      'How far the planting has come that the contribution is pooled for. It is the status of a whole batch, and changes nothing of the contribution. There is none unless the contribution is confirmed.',
    errors: ['invalid_request', ...ACCESS, 'contribution_not_found', ...SERVICE],
    recoverable: 'lookup',
  },
  ...SELF_SERVICE_OPERATIONS,
  ...SANDBOX_OPERATIONS,
  listImpactBatchTransactions: {
    tag: 'Environment',
    summary: 'List your contributions in an impact batch',
    description: 'Those of this partner, settlement by settlement, page by page; and how far the batch has come.',
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
