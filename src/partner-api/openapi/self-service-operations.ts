import { deliveryNotFound, endpointNotFound } from '../webhooks/own-endpoint.ts';
import type { OperationText } from './openapi-operations.ts';

const tag = 'Self-service';
const read = ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_service_unavailable'] as const;
const write = [...read, 'idempotency_conflict'] as const;

/** What the reference says of the paths by which a partner serves itself. */
export const SELF_SERVICE_OPERATIONS = {
  getPartner: {
    tag,
    summary: 'Get your own terms',
    description: 'Name, status, bounds in force, rates, currency and time zone, for every key.',
    errors: read,
  },
  listWebhookEndpoints: {
    tag,
    summary: 'List your endpoints',
    description: 'Those that are not removed. Needs a key with the permission `manage`, as do all paths of endpoints.',
    errors: read,
  },
  createWebhookEndpoint: {
    tag,
    summary: 'Add an endpoint',
    description:
      'It must answer a signed challenge within 15 seconds, and is then active. The answer has its secret; the same key gives it again. At most five endpoints, and ten additions a minute.',
    errors: write,
  },
  getWebhookEndpoint: {
    tag,
    summary: 'Get an endpoint',
    description: 'How it is set, and how it fares.',
    errors: read,
    notFound: endpointNotFound(),
  },
  updateWebhookEndpoint: {
    tag,
    summary: 'Change an endpoint',
    description: 'Its kinds of events, or whether it is sent any. Another address is another endpoint.',
    errors: read,
    notFound: endpointNotFound(),
  },
  deleteWebhookEndpoint: {
    tag,
    summary: 'Remove an endpoint',
    description: 'For good: what waits for it is never sent.',
    errors: read,
    notFound: endpointNotFound(),
  },
  rotateWebhookSecret: {
    tag,
    summary: 'Rotate the secret of an endpoint',
    description:
      'Without a body, or with `start`, makes a second secret that signs beside the first for 24 hours; `activate` makes it the only one now.',
    errors: write,
    notFound: endpointNotFound(),
  },
  listDeliveries: {
    tag,
    summary: 'List the deliveries to an endpoint',
    description: 'What was sent, waits or failed, the newest first.',
    errors: read,
    notFound: endpointNotFound(),
  },
  resendDelivery: {
    tag,
    summary: 'Send a delivery again',
    description: 'At once and with all its attempts, whatever became of it: the same event id and bytes. Takes no body.',
    errors: write,
    notFound: deliveryNotFound(),
  },
  recoverDeliveries: {
    tag,
    summary: 'Send again what failed',
    description:
      'Deliveries that were given up since a time; with `missing` also events that never had a delivery to this endpoint.',
    errors: write,
    notFound: endpointNotFound(),
  },
} as const satisfies Record<string, OperationText>;
