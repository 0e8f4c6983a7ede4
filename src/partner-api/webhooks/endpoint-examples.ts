import { type Examples, echo, keyedEcho } from '../openapi/openapi-examples.ts';
import { EXAMPLE_NEXT_AFTER } from '../paging.ts';

/** The examples of self-service in the reference. */

const partner = {
  partner_id: 'ptn_01K8XW2C4E6G8J1M3P5R7T9V2X',
  name: 'Example Deliveries',
  status: 'active',
  bounds: {
    contribution_rule_version: 'rules-2026-1',
    point_conversion_version: 'points-2026-1',
    tree_cost_version: 'trees-2026-1',
    points_min: 1,
    points_max: 100_000,
    reviews_everything: false,
    review_threshold: 50_000,
    daily_points_cap: null,
    daily_count_cap: null,
  },
  rates: { writes_per_second: 100, lookups_per_second: 200, reports_per_second: 50 },
  currency: 'SAR',
  time_zone: 'Asia/Riyadh',
  environment: 'sandbox',
};

const endpoint = {
  endpoint_id: 'wep_01KBJ3Y5A7C9E1G3J5M7P9R1T3',
  url: 'https://partner.example.com/hooks/impact',
  event_types: [],
  status: 'active',
  status_reason: null,
  failures_in_row: 0,
  failing_since: null,
  paused_until: null,
  secret_rotates_at: null,
  created_at: '2026-11-20T18:02:11.000Z',
};

const delivery = {
  delivery_id: 'dlv_01KAHV5B8R2N4Q6S8V0X2Z4C6E.M7P9R1T3',
  endpoint_id: endpoint.endpoint_id,
  event_id: 'evt_01KAHV5B8R2N4Q6S8V0X2Z4C6E',
  event_type: 'impact.transaction.confirmed',
  sequence: 41,
  status: 'exhausted',
  trigger: 'event',
  attempts: 10,
  last_attempt: { started_at: '2026-11-24T02:11:39.871Z', status: 503, error_class: null },
  next_attempt_at: null,
  created_at: '2026-11-20T19:29:00.212Z',
  ended_at: '2026-11-24T02:11:40.007Z',
};

const again = { ...delivery, status: 'waiting', trigger: 'resend', next_attempt_at: '2026-11-24T08:00:00.000Z', ended_at: null };
const secret = 'whsec_ZXhhbXBsZSBvbmx5LCBub3QgYSByZWFsIHNlY3JldCE=';
const rotating = { ...endpoint, secret_rotates_at: '2026-11-21T18:02:11.000Z' };

const one = (status: string, summary: string, value: object): Record<string, Examples> => ({
  [status]: {
    [summary.toLowerCase().replaceAll(' ', '_')]: { summary, value: { ...value, request: status === '201' ? keyedEcho : echo } },
  },
});
const page = { next_after: EXAMPLE_NEXT_AFTER, has_more: false };

/** Examples of the answers, by operation and status. */
export const SELF_SERVICE_RESPONSE_EXAMPLES: Record<string, Record<string, Examples>> = {
  getPartner: one('200', 'Your terms', { partner }),
  listWebhookEndpoints: one('200', 'One endpoint', { webhook_endpoints: [endpoint], ...page }),
  createWebhookEndpoint: one('201', 'Added', { webhook_endpoint: endpoint, secret }),
  getWebhookEndpoint: one('200', 'Active', { webhook_endpoint: endpoint }),
  updateWebhookEndpoint: one('200', 'Disabled', {
    webhook_endpoint: { ...endpoint, status: 'disabled', status_reason: 'Its partner disabled it.' },
  }),
  deleteWebhookEndpoint: one('200', 'Removed', { webhook_endpoint: { ...endpoint, status: 'removed' } }),
  rotateWebhookSecret: one('201', 'Both sign', { webhook_endpoint: rotating, secret }),
  listDeliveries: one('200', 'The last page', { deliveries: [delivery], ...page }),
  resendDelivery: one('201', 'On its way', { delivery: again }),
  recoverDeliveries: one('201', 'Three again', { recovered: 3, has_more: false }),
};

export const SELF_SERVICE_REQUEST_EXAMPLES: Record<string, Examples> = {
  createWebhookEndpoint: { every_kind: { summary: 'Every kind', value: { url: endpoint.url } } },
  updateWebhookEndpoint: { hold: { summary: 'Hold its events', value: { status: 'disabled' } } },
  rotateWebhookSecret: {
    start: { summary: 'A second secret', value: { step: 'start' } },
    activate: { summary: 'The new one alone', value: { step: 'activate' } },
  },
  recoverDeliveries: { since: { summary: 'Since the outage', value: { since: '2026-11-20T19:00:00.000Z' } } },
};
