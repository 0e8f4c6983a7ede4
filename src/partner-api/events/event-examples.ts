import { type EventHead, type EventType, TEST_TYPE, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { associationToWire, contributionToWire } from '../../wire/contribution-to-wire.ts';
import { eventToText } from '../../wire/event-to-text.ts';
import { contribution, type Example, type Examples, echo, failed, link, notRequested } from '../openapi/openapi-examples.ts';

const PARTNER_ID = 'ptn_01KAHT0A1C3E5G7J9M2P4R6T8V';

/** The code that writes real envelopes writes this one; integers of this size are safe as a number. */
function example(summary: string, head: Omit<EventHead, 'partnerId'>, data: object): Example {
  return { summary, value: JSON.parse(eventToText({ ...head, partnerId: PARTNER_ID }, 'sandbox', data)) };
}

const linkedAt = new Date('2026-11-20T21:40:05.310Z');
export const confirmed = contributionToWire(contribution, 'sandbox');

const versions = {
  contribution_rule_version: 'rules-2026-1',
  point_conversion_version: 'points-2026-1',
  tree_cost_version: 'trees-2026-1',
};

export const openSettlement = {
  settlement_id: 'stl_01KBBZ7G4H6K8N0Q2S4V6X8Z1B',
  sequence: 12,
  status: 'open',
  environment: 'sandbox',
  period_start: '2026-11-30T21:00:00.000Z',
  period_end: '2026-12-31T21:00:00.000Z',
  period_timezone: 'Asia/Riyadh',
  period_label: '2026-12',
  contribution_count: 0,
  adjustment_count: 0,
  gross_points: 0,
  adjustment_points: 0,
  carried_in_points: 0,
  net_points: 0,
  payable_points: 0,
  carried_out_points: 0,
  carried_in_amount: '0.00',
  net_amount: '0.00',
  payable_amount: '0.00',
  carried_out_amount: '0.00',
  amount: '0.00',
  currency: 'SAR',
  totals_by_version: [],
  created_at: '2026-11-30T21:05:00.212Z',
  closed_at: null,
  as_of: '2026-11-30T21:05:00.212Z',
  statement: null,
  acknowledgement: { status: 'pending', acknowledged_at: null, reference: null, note: null },
};

export const closedSettlement = {
  ...openSettlement,
  settlement_id: 'stl_01K8XW3D5F7H9K1N3Q5S7V9X2Z',
  sequence: 11,
  status: 'closed',
  period_start: '2026-10-31T21:00:00.000Z',
  period_end: '2026-11-30T21:00:00.000Z',
  period_label: '2026-11',
  contribution_count: 3,
  adjustment_count: 1,
  gross_points: 750,
  adjustment_points: -250,
  carried_in_points: -100,
  net_points: 500,
  payable_points: 400,
  carried_out_points: 0,
  carried_in_amount: '-1.00',
  net_amount: '5.00',
  payable_amount: '4.00',
  carried_out_amount: '0.00',
  amount: '4.00',
  totals_by_version: [{ ...versions, count: 3, points: 500, amount: '5' }],
  created_at: '2026-10-31T21:05:00.180Z',
  closed_at: '2026-11-30T21:05:00.212Z',
  as_of: null,
  statement: {
    csv_sha256: 'bb7b04d4adf3f1ea26e593836e9f10f73f4ad8284a57a745473264ab600058c1',
    line_count: 5,
    generated_at: '2026-11-30T21:05:00.212Z',
    previous_csv_sha256: 'b77f18bb368c2e3125e782d5214326e33ae5a74e11e58075ce3dbec37ecec441',
  },
};

export const adjustment = {
  change: 'adjustment',
  adjustment_id: 'adj_01KB2M5P7R9T1V3X5Z7B9D2F4H',
  transaction_id: contribution.transactionId,
  partner_event_id: contribution.partnerEventId,
  partner_order_ref: contribution.partnerOrderRef,
  reason_code: 'duplicate_report',
  reason_en: 'The order was reported twice.',
  reason_ar: 'أُبلغ عن الطلب مرتين.',
  points_delta: -250,
  amount_delta: null,
  settled_points_before: 250,
  settled_points_after: 0,
  settlement_id: null,
  original_settlement_id: null,
  reversal_of: null,
  contribution_status: 'confirmed',
  point_restoration_authorized: false,
  posted_at: '2026-11-24T08:15:00.402Z',
  environment: 'sandbox',
};

export const allocated = {
  impact_batch_id: 'batch_01KBG2X4Z6B8D0F2H4K6N8Q1S3',
  status: 'allocated',
  previous_status: 'recorded',
  change_type: 'advanced',
  quantity: { value: 3, unit: 'tree' },
  project: {
    project_id: 'project_01KB4D6F8H0K2N4Q6S8V1X3Z5B',
    name_en: 'Sample project',
    name_ar: 'مشروع تجريبي',
    country: 'SA',
  },
  evidence: [],
  affected_transaction_count: 3,
  transactions_path: '/v1/impact-batches/batch_01KBG2X4Z6B8D0F2H4K6N8Q1S3/transactions',
  summary_en: 'Planting of 3 trees: allocated.',
  summary_ar: 'زراعة 3 أشجار: مُخصَّصة.',
  contribution_status: 'confirmed',
  occurred_at: '2026-12-02T09:30:00.000Z',
};

/** The run of the schedule that closed one settlement and opened the next. */
const CLOSING = 'corr_01KBBZ7G4F8H0K2N4Q6S8V1X3Z';

/** Examples of each kind of event; those of an adjustment by what changed. */
export const EVENT_EXAMPLES: Record<EventType | typeof VERIFICATION_TYPE | typeof TEST_TYPE, Examples> = {
  'impact.transaction.confirmed': {
    confirmed: example(
      'A contribution became confirmed',
      {
        eventId: 'evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
        eventType: 'impact.transaction.confirmed',
        sequence: 41n,
        occurredAt: contribution.createdAt,
        correlationId: 'corr-2026-11-20-0001',
      },
      { contribution: confirmed, association: associationToWire(notRequested, 'sandbox') },
    ),
  },
  'impact.transaction.adjusted': {
    associated: example(
      'An estimate was linked later',
      {
        eventId: 'evt_01KAHV5B8S0A1C3E5G7J9M2P4R',
        eventType: 'impact.transaction.adjusted',
        sequence: 42n,
        occurredAt: linkedAt,
        correlationId: 'corr-2026-11-20-0002',
      },
      {
        change: 'associated',
        contribution: confirmed,
        association: associationToWire({ status: 'associated', link: { ...link, associatedAt: linkedAt } }, 'sandbox'),
      },
    ),
    failed: example(
      'A pending contribution failed for good: restore the points once',
      {
        eventId: 'evt_01KAHX6C8E0G2J4M6P8R1T3V5X',
        eventType: 'impact.transaction.adjusted',
        sequence: 43n,
        occurredAt: failed.failedAt as Date,
        correlationId: 'corr-2026-11-20-0001',
      },
      { change: 'failed', contribution: contributionToWire(failed, 'sandbox'), point_restoration_authorized: true },
    ),
    adjustment: example(
      'A correction of what is settled',
      {
        eventId: 'evt_01KB2M5P7S0T2V4X6Z8B1D3F5H',
        eventType: 'impact.transaction.adjusted',
        sequence: 44n,
        occurredAt: new Date(adjustment.posted_at),
        correlationId: 'corr_01KB2M5P7Q8S0V2X4Z6B9D1F3H',
      },
      adjustment,
    ),
  },
  'settlement.created': {
    open: example(
      'The next settlement is open',
      {
        eventId: 'evt_01KBBZ7G4J0K2N4Q6S8V1X3Z5B',
        eventType: 'settlement.created',
        sequence: 46n,
        occurredAt: new Date(openSettlement.created_at),
        correlationId: CLOSING,
      },
      { settlement: openSettlement },
    ),
  },
  'settlement.closed': {
    closed: example(
      'The settlement of a month is closed',
      {
        eventId: 'evt_01KBBZ7G4H9K1N3Q5S7V9X2Z4B',
        eventType: 'settlement.closed',
        sequence: 45n,
        occurredAt: new Date(closedSettlement.closed_at as string),
        correlationId: CLOSING,
      },
      { settlement: closedSettlement },
    ),
  },
  'environmental.status.updated': {
    allocated: example(
      'The trees of a batch are allocated to a project',
      {
        eventId: 'evt_01KBG3Y5A7C9E1G3J5M7P9R2T4',
        eventType: 'environmental.status.updated',
        sequence: 47n,
        occurredAt: new Date(allocated.occurred_at),
        correlationId: 'corr_01KBG3Y5A6B8D0F2H4K6N8Q1S3',
      },
      allocated,
    ),
  },
  [VERIFICATION_TYPE]: {
    challenge: example(
      'A new endpoint is challenged',
      {
        eventId: 'evt_01KAHS2B4D6F8H0K2N4Q6S8V1X',
        eventType: VERIFICATION_TYPE,
        sequence: null,
        occurredAt: new Date('2026-11-20T18:02:11.004Z'),
        correlationId: 'evt_01KAHS2B4D6F8H0K2N4Q6S8V1X',
      },
      { challenge: 'q1dJx7mZ0vT4cY8nR2sK6wB3fH9gL5pA' },
    ),
  },
  [TEST_TYPE]: {
    test: example(
      'An operator tries an endpoint out',
      {
        eventId: 'evt_01KAHS9M3P5R7T9V1X3Z5B7D9F',
        eventType: TEST_TYPE,
        sequence: null,
        occurredAt: new Date('2026-11-20T18:05:40.250Z'),
        correlationId: 'evt_01KAHS9M3P5R7T9V1X3Z5B7D9F',
      },
      { endpoint_id: 'wep_01KAHS2B4D6F8H0K2N4Q6S8V1Y' },
    ),
  },
};

const listed = (['impact.transaction.confirmed', 'impact.transaction.adjusted'] as const).map(
  (kind) => Object.values(EVENT_EXAMPLES[kind])[0]?.value,
);

/** Examples of the answers, by operation and status. */
export const EVENT_RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  listEvents: {
    '200': {
      page: { summary: 'A page', value: { events: listed, next_after_sequence: 42, has_more: true, request: echo } },
      end: { summary: 'Nothing new', value: { events: [], next_after_sequence: 47, has_more: false, request: echo } },
    },
  },
  getEvent: { '200': { confirmed: { summary: 'A contribution became confirmed', value: { event: listed[0], request: echo } } } },
};
