import { READINESS_CHECKS } from '../../domain/sandbox/readiness.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { estimateToWire } from '../../wire/estimate-to-wire.ts';
import { exactJson } from '../../wire/exact-json.ts';
import { adjustment, closedSettlement, confirmed } from '../events/event-examples.ts';
import { progress } from '../impact/environmental-examples.ts';
import { contribution, type Examples, echo, estimate, failed, keyedEcho, notRequested } from '../openapi/openapi-examples.ts';

/** The examples of the sandbox in the reference. */

const { settlement_id } = closedSettlement;
const { change: _, ...postedAdjustment } = adjustment;

const delivery = {
  delivery_id: 'dlv_01KBJ4Z6B8D0F2H4K6N8Q1S3V5.7X9Z1B3D',
  endpoint_id: 'wep_01KBJ3Y5A7C9E1G3J5M7P9R1T3',
  event_id: 'evt_01KBJ4Z6B8D0F2H4K6N8Q1S3V5',
  event_type: 'impact.transaction.confirmed',
  delivered: true,
  status: 200,
  error_class: null,
  milliseconds: 42,
  expected: 'accepted',
  as_expected: true,
};

const seen = { correlation_id: echo.correlation_id, subject_id: contribution.transactionId, seen_at: '2026-11-20T19:31:07.114Z' };
const checks = Object.entries(READINESS_CHECKS).map(([check, what_to_do]) => ({
  check,
  passed: check === 'replayed_key',
  evidence: check === 'replayed_key' ? [seen] : [],
  what_to_do,
}));

const answer = (summary: string, key: string, members: object): Record<string, Examples> => ({
  '201': { done: { summary, value: JSON.parse(exactJson({ ...members, request: { ...keyedEcho, idempotency_key: key } })) } },
});

/** Examples of the answers, by operation and status. */
export const SANDBOX_RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  resolveSandboxContribution: answer('Confirmed', 'resolve-10293', {
    contribution: confirmed,
    association: associationToWire(notRequested, 'sandbox'),
  }),
  recordSandboxFailure: answer('Failed', 'failure-10293', {
    contribution: contributionToWire(failed, 'sandbox'),
    association: associationToWire(notRequested, 'sandbox'),
  }),
  expireSandboxEstimate: answer('Expired', 'expire-10293', { estimate: estimateToWire(estimate, 'sandbox') }),
  sendSandboxEvent: answer('One endpoint, twice', 'sample-0002', {
    deliveries: [delivery, { ...delivery, delivery_id: 'dlv_01KBJ4Z6B9A1C3E5G7J9M2P4R6.7X9Z1B3D', milliseconds: 12 }],
  }),
  closeSandboxSettlement: answer('Closed', 'close-2026-11', { settlement: closedSettlement }),
  postSandboxAdjustment: answer('Posted', 'adjust-10293', { adjustment: postedAdjustment }),
  makeSandboxImpactBatch: answer('Advanced', 'batch-2026-11', {
    impact_batch: { impact_batch_id: 'batch_01KBG2X4Z6B8D0F2H4K6N8Q1S3', ...progress, transaction_count: 3 },
  }),
  getSandboxReadiness: {
    '200': { not_yet: { summary: 'One check passed', value: { readiness: { ready: false, checks }, request: echo } } },
  },
  advanceSandboxClock: answer('A month later', 'clock-0001', {
    clock: { now: '2026-12-20T19:29:00.000Z' },
    done: { estimates_expired: 1, contributions_ended: 0, contributions_failed: 1, settlements_closed: [settlement_id] },
  }),
};

export const SANDBOX_REQUEST_EXAMPLES: Record<string, Examples> = {
  resolveSandboxContribution: {
    confirm: { summary: 'Confirm it', value: { status: 'confirmed' } },
    fail: { summary: 'Fail it', value: { status: 'failed' } },
  },
  recordSandboxFailure: {
    refused: {
      summary: 'An event that was refused for good',
      value: {
        partner_event_id: 'contribution-10299-1',
        partner_order_ref: contribution.partnerOrderRef,
        points: Number(contribution.points),
      },
    },
  },
  sendSandboxEvent: {
    sample: { summary: 'A sample', value: { event_type: 'settlement.closed' } },
    twice: { summary: 'The same event twice', value: { event_type: 'impact.transaction.confirmed', fault: 'duplicate' } },
  },
  postSandboxAdjustment: {
    take_back: {
      summary: 'Take points back',
      value: { transaction_id: contribution.transactionId, points_delta: -250, reason_code: 'duplicate_report' },
    },
  },
  makeSandboxImpactBatch: {
    verified: {
      summary: 'From the settlement to the verified trees',
      value: { settlement_ids: [settlement_id], quantity: 3, status: 'verified' },
    },
  },
  advanceSandboxClock: { a_month: { summary: 'A month', value: { advance: 'P1M' } } },
};
