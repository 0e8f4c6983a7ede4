import { STATEMENT_HEADER } from '../domain/statement-columns.ts';
import { closedSettlement, openSettlement } from './event-examples.ts';
import { contribution, type Examples, echo } from './openapi-examples.ts';

/** What the reference shows of settlements; the settlements are those of the events' examples. */

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

/** By operation and status. */
export const SETTLEMENT_RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  listSettlements: {
    '200': one('A page', { settlements: [openSettlement, closedSettlement], next_before_sequence: 11, request: echo }),
  },
  getSettlement: {
    '200': {
      ...one('Closed', { settlement: closedSettlement, request: echo }),
      ...one('Open', { settlement: openSettlement, request: echo }),
    },
  },
  listSettlementLines: { '200': one('A page', { lines: [line], next_after_line: 1, has_more: true, request: echo }) },
  getSettlementStatement: { '200': one('A statement', csv) },
  acknowledgeSettlement: {
    '201': one('Accepted', {
      settlement_id,
      acknowledgement,
      request: { ...echo, idempotency_key: 'acknowledge-2026-11' },
    }),
  },
};

export const SETTLEMENT_REQUEST_EXAMPLES: Record<string, Examples> = {
  acknowledgeSettlement: {
    ...one('Accept', { status: 'accepted', reference: 'payment-2026-11' }),
    ...one('Dispute', { status: 'disputed', note: 'Order 10293 was reported twice.' }),
  },
};
