import { EVENT_TYPES } from '../../domain/events/event.ts';
import type { LastAttempt } from '../../store/webhooks/attempt-log.ts';
import { DELIVERY_STATUSES } from '../../store/webhooks/delivery.ts';
import { Echo } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed, longId, nullable, nullableTime, oneOf, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/** The shapes of a partner's own endpoints and their deliveries. @see docs/spec/decisions.md#9-self-service-and-pages. */

export const ENDPOINT_PAGE = { default: 100, max: 100 } as const;
export const DELIVERY_PAGE = { default: 100, max: 500 } as const;

const eventTypes = (description: string) =>
  Type.Array(oneOf(EVENT_TYPES, 'A kind of event.'), { maxItems: EVENT_TYPES.length, uniqueItems: true, description });

export const Endpoint = Type.Object(
  {
    endpoint_id: longId('The id of the endpoint. The service assigns it.'),
    url: Type.String({ description: 'The address to which the service sends events.' }),
    event_types: Type.Array(Type.String(), {
      description: 'The kinds of event that the endpoint receives; empty for every kind, later ones too.',
    }),
    status: oneOf(
      ['active', 'disabled', 'removed'],
      'Whether the service sends events to the endpoint. While it is `disabled` the service holds its events.',
    ),
    status_reason: nullable({}, 'Why the endpoint is disabled; `null` otherwise.'),
    failures_in_row: Type.Integer({ description: 'The number of attempts that failed since the last success.' }),
    failing_since: nullableTime('When the first of these attempts failed, in UTC; `null` without one.'),
    paused_until: nullableTime(
      'Until when the service sends nothing to an active endpoint after many failures, in UTC; `null` otherwise.',
    ),
    secret_rotates_at: nullableTime('During a rotation, when the new secret becomes the only one, in UTC; `null` otherwise.'),
    created_at: time('When you or an operator added the endpoint, in UTC.'),
  },
  closed,
);

export const EndpointParams = Type.Object({ endpoint_id: longId('The id of the endpoint, from the list of endpoints.') });
export const DeliveryParams = Type.Object({ delivery_id: longId('The id of the delivery, from the list of deliveries.') });

export const CreateEndpointBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2_000, description: 'The https address of a public host.' }),
    event_types: Type.Optional(eventTypes('The kinds of event that the endpoint receives; without them, or empty, every kind.')),
  },
  closed,
);

export const UpdateEndpointBody = Type.Object(
  {
    event_types: Type.Optional(eventTypes('The kinds of event that the endpoint receives from now on; empty for every kind.')),
    status: Type.Optional(
      oneOf(
        ['active', 'disabled'] as const,
        'With `disabled` the service holds the events of the endpoint; with `active` it sends those that it held.',
      ),
    ),
  },
  closed,
);

export const RotateSecretBody = Type.Object(
  {
    step: Type.Optional(
      oneOf(
        ['start', 'replace', 'activate'] as const,
        '`start` makes a second secret, which signs beside the first for 24 hours. `replace` does so in place of one that is not active yet. `activate` makes the new one the only one now.',
      ),
    ),
  },
  closed,
);

export const RecoverBody = Type.Object(
  {
    since: Type.String({
      minLength: 1,
      maxLength: 40,
      format: 'date-time',
      description: 'The service sends again what failed from this time on.',
    }),
    missing: Type.Optional(
      Type.Boolean({
        description: 'Whether the service also sends events that never had a delivery to this endpoint, as for a new endpoint.',
      }),
    ),
  },
  closed,
);

export const Delivery = Type.Object(
  {
    delivery_id: longId('The id of the delivery. The service assigns it.'),
    endpoint_id: longId('The id of the endpoint.'),
    event_id: longId('The id of the event.'),
    event_type: Type.String({ description: 'The kind of event.' }),
    sequence: Type.Unsafe<bigint | null>({
      type: ['integer', 'null'],
      format: 'int64',
      description: 'The `sequence` of the event; `null` for a test or a sample.',
    }),
    status: oneOf(DELIVERY_STATUSES, '`held` until its endpoint is enabled; `exhausted` when its attempts are spent.'),
    trigger: Type.String({ description: 'Why the service made the delivery, or sends it again.' }),
    attempts: Type.Integer({ description: 'The number of attempts so far.' }),
    last_attempt: Type.Unsafe<LastAttempt | null>({
      ...Type.Object(
        {
          started_at: time('When the attempt began, in UTC.'),
          status: Type.Unsafe<number | null>({
            type: ['integer', 'null'],
            description: 'The HTTP status of the answer; `null` without an answer.',
          }),
          error_class: nullable({}, 'Why there was no answer; `null` with an answer.'),
        },
        closed,
      ),
      type: ['object', 'null'],
      description: 'How the last attempt ended; `null` before the first one has ended.',
    }),
    next_attempt_at: nullableTime('When the next attempt is due, in UTC; `null` without one.'),
    created_at: time('When the service made the delivery, in UTC.'),
    ended_at: nullableTime(
      'When the delivery succeeded or was exhausted, in UTC; `null` before that. Of a test or a sample without a result: when it was made.',
    ),
  },
  closed,
);

export const EndpointBody = Type.Object({ webhook_endpoint: Endpoint, request: Echo }, closed);
export const ListEndpointsQuery = Type.Object(pageQuery(ENDPOINT_PAGE), closed);
export const EndpointPageBody = Type.Object(
  { webhook_endpoints: Type.Array(Endpoint, { description: 'The endpoints, the oldest first.' }), ...pageAnswer, request: Echo },
  closed,
);
export const ListDeliveriesQuery = Type.Object(
  { ...pageQuery(DELIVERY_PAGE), status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only deliveries with this status.')) },
  closed,
);
export const DeliveryPageBody = Type.Object(
  { deliveries: Type.Array(Delivery, { description: 'The deliveries, the newest first.' }), ...pageAnswer, request: Echo },
  closed,
);
