import { deliveryNotFound, endpointNotFound } from '../../webhooks/endpoints/endpoint-context.ts';
import type { OperationText } from './openapi-operations.ts';

const tag = 'Self-service';
const read = ['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_service_unavailable'] as const;
const write = [...read, 'idempotency_conflict'] as const;

/** The text of the self-service paths in the reference. */
export const SELF_SERVICE_OPERATIONS = {
  getPartner: {
    tag,
    summary: 'Get your own terms',
    description: 'Shows name, status, bounds in force, rates, currency and time zone. Every key may read it.',
    errors: read,
  },
  listWebhookEndpoints: {
    tag,
    summary: 'List your endpoints',
    description: 'Lists the endpoints that are not removed. All paths of endpoints need a key with the permission `manage`.',
    errors: read,
  },
  createWebhookEndpoint: {
    tag,
    summary: 'Add an endpoint',
    description:
      'Adds an endpoint, which must answer a signed challenge within 15 seconds and is then active. The answer has its secret; a replay with the same Idempotency-Key shows it again. You may have five endpoints, and add ten at once, then ten a minute. When 200 were added in 24 hours, you cannot add another: those that operators added and those that were removed again count too.',
    errors: write,
  },
  getWebhookEndpoint: {
    tag,
    summary: 'Get an endpoint',
    description: 'Shows the settings of an endpoint, and its failures.',
    errors: read,
    notFound: endpointNotFound(),
  },
  updateWebhookEndpoint: {
    tag,
    summary: 'Change an endpoint',
    description:
      'Changes the kinds of event of an endpoint, or whether it receives any. For another address, add another endpoint.',
    errors: read,
    notFound: endpointNotFound(),
  },
  deleteWebhookEndpoint: {
    tag,
    summary: 'Remove an endpoint',
    description: 'Removes an endpoint permanently. The service never sends the events that wait for it.',
    errors: read,
    notFound: endpointNotFound(),
  },
  rotateWebhookSecret: {
    tag,
    summary: 'Rotate the secret of an endpoint',
    description:
      'Without a body, or with `start`, creates a second secret that signs beside the first for 24 hours; with `replace` makes another in its place while it is not active yet; with `activate` makes it the only one now.',
    errors: write,
    notFound: endpointNotFound(),
  },
  listDeliveries: {
    tag,
    summary: 'List the deliveries to an endpoint',
    description:
      'Lists the deliveries that were sent, wait or failed, the newest first. A page looks at 2,000 of your deliveries at most: it may have fewer than `limit`, or none, while `has_more` is true.',
    errors: read,
    notFound: endpointNotFound(),
  },
  resendDelivery: {
    tag,
    summary: 'Send a delivery again',
    description:
      'Sends a delivery again at once, whatever its status, with all its attempts and the same event id and bytes. The request has no body.',
    errors: write,
    notFound: deliveryNotFound(),
  },
  recoverDeliveries: {
    tag,
    summary: 'Send again what failed',
    description:
      'Sends again the deliveries that were exhausted since a time; with `missing` also events that never had a delivery to this endpoint. These count for the quota of bytes of the day: when it is spent, the service stops (`has_more`), and refuses the next such request with 429.',
    errors: write,
    notFound: endpointNotFound(),
  },
} as const satisfies Record<string, OperationText>;
