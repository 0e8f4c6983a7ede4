import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import type { LastAttempt } from '../../store/webhooks/attempt-log.ts';
import type { LoggedDelivery } from '../../store/webhooks/delivery-log.ts';
import { pausedUntil, secretRotatesAt, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';

export function endpointToWire(endpoint: WebhookEndpoint & EndpointHealth) {
  return {
    endpoint_id: endpoint.endpointId,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    failures_in_row: endpoint.failuresInRow,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    paused_until: pausedUntil(endpoint)?.toISOString() ?? null,
    secret_rotates_at: secretRotatesAt(endpoint)?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
  };
}

export function deliveryToWire(delivery: LoggedDelivery, lastAttempt: LastAttempt | undefined) {
  const isWaiting = delivery.status === 'waiting';
  return {
    delivery_id: delivery.deliveryId,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    sequence: delivery.sequence,
    status: delivery.status,
    trigger: delivery.trigger,
    attempts: delivery.attempts,
    last_attempt: lastAttempt
      ? { started_at: lastAttempt.startedAt.toISOString(), status: lastAttempt.status, error_class: lastAttempt.errorClass }
      : null,
    next_attempt_at: isWaiting ? delivery.nextAttemptAt.toISOString() : null,
    created_at: delivery.createdAt.toISOString(),
    ended_at: delivery.endedAt?.toISOString() ?? null,
  };
}
