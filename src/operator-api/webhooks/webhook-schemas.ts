import type { EndpointHealth } from '../../domain/webhooks/endpoint-health.ts';
import type { NamedSubject } from '../../operations/events/orders-of-events.ts';
import type { CountedEndpoint } from '../../operations/overview/list-endpoints.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { DeliveryAttemptRecord } from '../../store/webhooks/attempt-log.ts';
import { DELIVERY_STATUSES } from '../../store/webhooks/delivery.ts';
import type { LoggedDelivery } from '../../store/webhooks/delivery-log.ts';
import { UNDELIVERED_MAX } from '../../store/webhooks/endpoint-activity.ts';
import { pausedUntil, secretRotatesAt, type WebhookEndpoint } from '../../store/webhooks/webhook-endpoint.ts';
import {
  count,
  integerText,
  listOf,
  nullableIntegerText,
  nullableText,
  nullableTime,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';

export const EndpointBody = shape('Endpoint', {
  partner_id: text('The id of the partner.'),
  endpoint_id: text('The id of the endpoint.'),
  url: text('The address to which the events of the endpoint go.'),
  event_types: listOf(text('An event type.'), 'The event types that it gets; empty for all.'),
  status: oneOf(['active', 'disabled', 'removed'], 'The events of a disabled endpoint are held until it is enabled.'),
  status_reason: nullableText('Why the endpoint is disabled; `null` otherwise.'),
  failures_in_row: count('How many attempts failed since the last that succeeded.'),
  failing_since: nullableTime('Since when it fails; `null` where it does not.'),
  paused_until: nullableTime(
    'Until when the service sends nothing to an active endpoint, after many failures; `null` otherwise.',
  ),
  secret_rotates_at: nullableTime('When a new secret becomes the only one; `null` without one.'),
  created_at: time('When it was added.'),
});

export function endpointToWire(endpoint: WebhookEndpoint & EndpointHealth) {
  return {
    partner_id: endpoint.partnerId,
    endpoint_id: endpoint.endpointId,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    failures_in_row: endpoint.failuresInRow,
    failing_since: endpoint.failingSince,
    paused_until: pausedUntil(endpoint),
    secret_rotates_at: secretRotatesAt(endpoint),
    created_at: endpoint.createdAt,
  };
}

/** In a list, where no activity stands beside it. */
export const ListedEndpointBody = shape('ListedEndpoint', {
  ...EndpointBody.properties,
  undelivered: count(
    `Deliveries that wait for it, are held or are exhausted; ${UNDELIVERED_MAX + 1} where there are more than ${UNDELIVERED_MAX}.`,
  ),
});

export function listedEndpointToWire(endpoint: CountedEndpoint) {
  return { ...endpointToWire(endpoint), undelivered: endpoint.undelivered };
}

export const DeliveryBody = shape('Delivery', {
  partner_id: text('The id of the partner.'),
  delivery_id: text('The id of the delivery.'),
  endpoint_id: text('The endpoint.'),
  event_id: text('The event.'),
  event_type: text('The type of the event.'),
  transaction_id: nullableText(
    'The contribution that the event is about; `null` where it is about something else, and of a test.',
  ),
  partner_order_ref: nullableText("The partner's reference of the order of that contribution; `null` without one."),
  sequence: nullableIntegerText('The number of the event; `null` for a test or a sample.'),
  status: oneOf(
    DELIVERY_STATUSES,
    'How it stands. The attempts of an `exhausted` one are spent; a `held` one waits for its endpoint.',
  ),
  trigger: oneOf(['event', 'resend', 'recover', 'replay', 'test', 'sample'], 'Why the delivery is sent.'),
  attempts: count('How many attempts were made.'),
  next_attempt_at: nullableTime('When the next attempt is due; `null` unless it waits.'),
  occurred_at: time('When its event occurred; of a test, when it was made.'),
  created_at: time('When it was made.'),
  ended_at: nullableTime(
    'When it was delivered or exhausted; `null` while it waits. Of a test or a sample without a result: when it was made.',
  ),
});

/** @param subject Of its event; `undefined` for a test or a sample, which is no event. */
export function deliveryToWire(delivery: LoggedDelivery, subject: NamedSubject | undefined) {
  const isWaiting = delivery.status === 'waiting';
  return {
    partner_id: delivery.partnerId,
    delivery_id: delivery.deliveryId,
    endpoint_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    sequence: delivery.sequence,
    status: delivery.status,
    transaction_id: subject?.transactionId ?? null,
    partner_order_ref: subject?.partnerOrderRef ?? null,
    trigger: delivery.trigger,
    attempts: delivery.attempts,
    next_attempt_at: isWaiting ? delivery.nextAttemptAt : null,
    occurred_at: subject?.occurredAt ?? delivery.createdAt,
    created_at: delivery.createdAt,
    ended_at: delivery.endedAt,
  };
}

export const AttemptBody = shape('Attempt', {
  number: integerText('The number of the attempt, from 1.'),
  trigger: text('Why the attempt was made.'),
  started_at: time('When it began.'),
  milliseconds: count('How long it took.'),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'The HTTP status of the answer; `null` without an answer.' }),
  error_class: nullableText('What went wrong; `null` for a success.'),
  excerpt: nullableText("The beginning of the answer's body, as the receiver wrote it; `null` without one."),
});

export function attemptToWire({ number, trigger, startedAt, milliseconds, status, errorClass, excerpt }: DeliveryAttemptRecord) {
  return { number, trigger, started_at: startedAt, milliseconds, status, error_class: errorClass, excerpt };
}
