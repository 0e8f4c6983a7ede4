import { allocated, closedSettlement } from '../events/event-examples.ts';
import { contribution, type Examples, echo } from '../openapi/openapi-examples.ts';
import { EXAMPLE_NEXT_AFTER } from '../paging.ts';

/** The examples of environmental status in the reference; the batch is that of the event's example. */

const { impact_batch_id, status, quantity, project, evidence, summary_en, summary_ar } = allocated;
const { settlement_id } = closedSettlement;

export const progress = {
  status,
  status_at: allocated.occurred_at,
  quantity,
  project,
  evidence,
  delayed_at: null,
  expected_delivery_period: null,
  summary_en,
  summary_ar,
};

const pooled = {
  transaction_id: contribution.transactionId,
  contribution_status: 'confirmed',
  settlement_id,
  impact_batch_id,
  ...progress,
};

const recorded = {
  ...pooled,
  settlement_id: null,
  impact_batch_id: null,
  status: 'recorded',
  status_at: contribution.createdAt.toISOString(),
  quantity: null,
  project: null,
  summary_en: 'Tree planting: recorded.',
  summary_ar: 'زراعة الأشجار: مُسجَّلة.',
};

const transaction = {
  transaction_id: contribution.transactionId,
  partner_event_id: contribution.partnerEventId,
  partner_order_ref: contribution.partnerOrderRef,
  points: 250,
  confirmed_at: contribution.createdAt.toISOString(),
  settlement_id,
};

/** Examples of the answers, by operation and status. */
export const ENVIRONMENTAL_RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  getEnvironmentalStatus: {
    '200': {
      in_a_batch: { summary: 'In a batch', value: { environmental_status: pooled, request: echo } },
      recorded: { summary: 'In no batch yet', value: { environmental_status: recorded, request: echo } },
    },
  },
  listImpactBatchTransactions: {
    '200': {
      last_page: {
        summary: 'The last page',
        value: {
          impact_batch: { impact_batch_id, ...progress, transaction_count: 3 },
          transactions: [transaction],
          next_after: EXAMPLE_NEXT_AFTER,
          has_more: false,
          next_after_transaction: null,
          request: echo,
        },
      },
    },
  },
};
