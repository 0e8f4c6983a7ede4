import { Type } from '../../partner-api/schema-type.ts';
import { type FailedAttempt, LOOKED_AT_OF_HOUR, readEndpointActivity } from '../../webhooks/endpoints/endpoint-activity.ts';
import { operatorRoute } from '../route.ts';
import {
  BoundedCount,
  boundedToWire,
  count,
  flag,
  listOf,
  nullableShape,
  nullableText,
  partnerAnd,
  shape,
  text,
  time,
} from '../schema-parts.ts';

const FailedAttemptBody = shape('FailedAttempt', {
  delivery_id: text('The delivery.'),
  attempted_at: time('When its last attempt began.'),
  status: Type.Union([Type.Integer(), Type.Null()], { description: 'The HTTP status of the answer; `null` without an answer.' }),
  error_class: nullableText('What went wrong; `null` where there was an answer.'),
  excerpt: nullableText("The beginning of the answer's body, as the receiver wrote it; `null` without one."),
});

function failedAttemptToWire({ deliveryId, startedAt, status, errorClass, excerpt }: FailedAttempt) {
  return { delivery_id: deliveryId, attempted_at: startedAt, status, error_class: errorClass, excerpt };
}

const Hour = shape('HourOfEndpoint', {
  from: time('The beginning of the hour.'),
  at_once: count('Events that the first attempt delivered, within a minute.'),
  later: count('Events that a later attempt delivered, or one after the endpoint was enabled.'),
  unended: count('Events that are not delivered yet.'),
  exhausted: count('Events whose attempts are spent.'),
  is_more: flag(`Whether the hour has more: at most ${LOOKED_AT_OF_HOUR} deliveries of the partner are looked at, the earliest.`),
});

export const getEndpointActivity = operatorRoute({
  operation: 'getEndpointActivity',
  method: 'GET',
  path: '/operator/v1/partners/:partner_id/endpoints/:endpoint_id/activity',
  tag: 'Webhooks',
  summary: 'Show what waits at an endpoint, why it fails or is stopped, and what became of the events of its last day',
  leastRole: 'viewer',
  params: partnerAnd('endpoint_id', 'The id of the endpoint.'),
  answer: shape('EndpointActivity', {
    waiting: BoundedCount,
    held: BoundedCount,
    exhausted: BoundedCount,
    stopped_by: nullableShape(
      FailedAttemptBody,
      'For which delivery the service disabled or paused it; `null` where it is neither, an operator disabled it, or none is kept.',
    ),
    last_failure: nullableShape(
      FailedAttemptBody,
      'The attempt that failed last, of an endpoint that fails or that failed when an operator disabled it; `null` where it does not, the service disabled or paused it, or none is kept.',
    ),
    hours: listOf(Hour, 'The last 24 hours of the clock, the earliest first, by the time of the events.'),
  }),
  async handle({ tools: { database }, params: { partner_id: partnerId, endpoint_id: endpointId } }) {
    const { waiting, held, exhausted, stoppedBy, lastFailure, hours } = await readEndpointActivity(database.pool, {
      partnerId,
      endpointId,
    });
    return {
      waiting: boundedToWire(waiting),
      held: boundedToWire(held),
      exhausted: boundedToWire(exhausted),
      stopped_by: stoppedBy && failedAttemptToWire(stoppedBy),
      last_failure: lastFailure && failedAttemptToWire(lastFailure),
      hours: hours.map(({ atOnce, isMore, ...hour }) => ({ ...hour, at_once: atOnce, is_more: isMore })),
    };
  },
});
