import { recoveryVerdict } from '../../domain/recovery-verdict.ts';
import { STATEMENT_HEADER } from '../../domain/settlements/statement/statement-columns.ts';
import { closedSettlement, openSettlement } from '../events/event-examples.ts';
import { contribution, type Examples, echo } from '../openapi/openapi-examples.ts';
import { EXAMPLE_NEXT_AFTER } from '../paging.ts';

/** The examples of settlements in the reference; the settlements are those of the events' examples. */

const { settlement_id } = closedSettlement;
const acknowledgement = {
  status: 'accepted',
  acknowledged_at: '2026-12-03T07:12:44.918Z',
  reference: 'payment-2026-11',
  note: null,
};

const line = {
  line_no: 1,
  line_type: 'contribution',
  transaction_id: contribution.transactionId,
  adjustment_id: null,
  partner_event_id: contribution.partnerEventId,
  partner_order_ref: contribution.partnerOrderRef,
  points: 250,
  amount: '2.5',
  currency: 'SAR',
  confirmed_at_utc: '2026-11-20T19:29:00.000Z',
  posted_at_utc: null,
  contribution_rule_version: 'rules-2026-1',
  point_conversion_version: 'points-2026-1',
  tree_cost_version: 'trees-2026-1',
  calculation_id: null,
  association_status: 'not_requested',
  reason_code: null,
  original_settlement_id: null,
};

const csv = [STATEMENT_HEADER, Object.values(line).map((value) => value ?? '')].map((cells) => `${cells.join(',')}\n`).join('');

const one = (summary: string, value: unknown): Examples => ({ [summary.toLowerCase().replaceAll(' ', '_')]: { summary, value } });

const reconciliation = {
  reconciliation_id: 'rec_01KBC3A5C7E9G1J3L5N7P9R2T4',
  settlement_id,
  status: 'done',
  problem: null,
  path: `/v1/settlements/${settlement_id}/reconciliations/rec_01KBC3A5C7E9G1J3L5N7P9R2T4`,
  format: 'csv',
  is_statement: false,
  listed_lines: 3,
  compared_settlement_lines: 4,
  counts: {
    matched: 2,
    missing_in_service: 1,
    missing_in_partner_file: 1,
    points_mismatch: 0,
    order_ref_mismatch: 0,
    duplicate_in_file: 0,
    other_settlement: 0,
    malformed: 0,
  },
  matched_points: { gross: 2, net: 0 },
  created_at: '2026-12-01T06:00:12.100Z',
  ended_at: '2026-12-01T06:00:14.480Z',
  lines_removed_at: null,
};
const under_way = { ...reconciliation, status: 'comparing', compared_settlement_lines: 0, ended_at: null };

const missing = {
  position: 4,
  line_no: 4,
  verdict: 'missing_in_service',
  line_type: 'contribution',
  partner_event_id: 'contribution-10311-1',
  partner_order_ref: 'order-10311',
  adjustment_id: null,
  points: 100,
  matched_points: null,
  transaction_id: null,
  recorded_order_ref: null,
  recorded_points: null,
  recorded_net_points: null,
  recorded_settlement_id: null,
  details: recoveryVerdict('contribution_not_found', 'lookup'),
};

const more = { next_after: EXAMPLE_NEXT_AFTER, has_more: true };

/** Examples of the answers, by operation and status. */
export const SETTLEMENT_RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  listSettlements: {
    '200': one('A page', { settlements: [openSettlement, closedSettlement], ...more, next_before_sequence: 11, request: echo }),
  },
  getSettlement: {
    '200': {
      ...one('Closed', { settlement: closedSettlement, request: echo }),
      ...one('Open', { settlement: openSettlement, request: echo }),
    },
  },
  listSettlementLines: { '200': one('A page', { lines: [line], ...more, next_after_line: 1, request: echo }) },
  getSettlementStatement: { '200': one('A statement', csv) },
  reconcileSettlement: {
    '202': one('Under way', { reconciliation: under_way, request: { ...echo, idempotency_key: 'reconcile-2026-11' } }),
  },
  getReconciliation: { '200': one('Done', { reconciliation, request: echo }) },
  listReconciliationLines: {
    '200': one('A page', { lines: [missing], ...more, has_more: false, lines_removed_at: null, request: echo }),
  },
  acknowledgeSettlement: {
    '201': one('Accepted', {
      settlement_id,
      acknowledgement,
      request: { ...echo, idempotency_key: 'acknowledge-2026-11' },
    }),
  },
};

const { partner_event_id, partner_order_ref, points } = line;

export const CSV_REQUEST_EXAMPLES: Record<string, Examples> = {
  reconcileSettlement: one(
    'A list',
    `partner_event_id,partner_order_ref,points\n${partner_event_id},${partner_order_ref},${points}\n`,
  ),
};

export const SETTLEMENT_REQUEST_EXAMPLES: Record<string, Examples> = {
  reconcileSettlement: one('A list', [{ partner_event_id, partner_order_ref, points }]),
  acknowledgeSettlement: {
    ...one('Accept', { status: 'accepted', reference: 'payment-2026-11' }),
    ...one('Dispute', { status: 'disputed', note: 'Order 10293 was reported twice.' }),
  },
};
