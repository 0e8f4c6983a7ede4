import { Type } from 'typebox';
import { EVENT_TYPES } from '../../domain/events/event.ts';
import { DELIVERY_STATUSES } from '../../store/webhooks/delivery.ts';
import { Echo } from '../envelope-schemas.ts';
import { pageAnswer, pageQuery } from '../paging.ts';
import { closed, longId, nullable, nullableTime, time } from '../schema-parts.ts';

/** The shapes of a partner's own endpoints and their deliveries. @see docs/spec/decisions.md#9-self-service-and-pages. */

export const ENDPOINT_PAGE = { default: 100, max: 100 } as const;
export const DELIVERY_PAGE = { default: 100, max: 500 } as const;

const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });
const eventTypes = (description: string) =>
  Type.Array(oneOf(EVENT_TYPES, 'A kind of event.'), { maxItems: EVENT_TYPES.length, uniqueItems: true, description });

export const Endpoint = Type.Object(
  {
    endpoint_id: longId('Assigned by the service.'),
    url: Type.String({ description: 'Where events are sent.' }),
    event_types: Type.Array(Type.String(), { description: 'The kinds that it receives; empty: every kind, later ones too.' }),
    status: oneOf(['active', 'disabled', 'removed'], 'While `disabled` its events are held.'),
    status_reason: nullable({}, 'Why it is disabled.'),
    failures_in_row: Type.Integer({ description: 'Attempts that failed since the last success.' }),
    failing_since: nullableTime('Since the first of them.'),
    paused_until: nullableTime('After many failures nothing is sent until then.'),
    secret_rotates_at: nullableTime('While a secret rotates: when the new one becomes the only one.'),
    created_at: time('UTC.'),
  },
  closed,
);

export const EndpointParams = Type.Object({ endpoint_id: longId('As in the list of endpoints.') });
export const DeliveryParams = Type.Object({ delivery_id: longId('As in the list of deliveries.') });

export const CreateEndpointBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2_000, description: 'An https address of a public host.' }),
    event_types: Type.Optional(eventTypes('The kinds that it receives; every kind when left out or empty.')),
  },
  closed,
);

export const UpdateEndpointBody = Type.Object(
  {
    event_types: Type.Optional(eventTypes('The kinds that it receives from now on; empty: every kind.')),
    status: Type.Optional(oneOf(['active', 'disabled'] as const, '`disabled` holds its events; `active` sends what was held.')),
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
    since: Type.String({ minLength: 20, maxLength: 40, format: 'date-time', description: 'What failed from this time on.' }),
    missing: Type.Optional(
      Type.Boolean({ description: 'Also events of before that never had a delivery to this endpoint, as for a new one.' }),
    ),
  },
  closed,
);

export const Delivery = Type.Object(
  {
    delivery_id: longId('Assigned by the service.'),
    endpoint_id: longId('Where it goes.'),
    event_id: longId('What it delivers.'),
    event_type: Type.String({ description: 'The kind of event.' }),
    sequence: Type.Unsafe<bigint | null>({
      ...{ type: ['integer', 'null'], format: 'int64' },
      description: 'Of the event; `null` for a test or a sample.',
    }),
    status: oneOf(DELIVERY_STATUSES, '`held` until its endpoint is enabled; `exhausted` when its attempts are spent.'),
    trigger: Type.String({ description: 'Why it was made, or sent again.' }),
    attempts: Type.Integer({ description: 'Attempts so far.' }),
    next_attempt_at: nullableTime('While it waits.'),
    created_at: time('UTC.'),
    ended_at: nullableTime('When it was delivered or given up.'),
  },
  closed,
);

export const EndpointBody = Type.Object({ webhook_endpoint: Endpoint, request: Echo }, closed);
export const ListEndpointsQuery = Type.Object(pageQuery(ENDPOINT_PAGE), closed);
export const EndpointPageBody = Type.Object(
  { webhook_endpoints: Type.Array(Endpoint, { description: 'In the order of their making.' }), ...pageAnswer, request: Echo },
  closed,
);
export const ListDeliveriesQuery = Type.Object(
  { ...pageQuery(DELIVERY_PAGE), status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only those of this status.')) },
  closed,
);
export const DeliveryPageBody = Type.Object(
  { deliveries: Type.Array(Delivery, { description: 'The newest first.' }), ...pageAnswer, request: Echo },
  closed,
);
