import { EVENT_TYPES, TEST_TYPE, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { CHALLENGE, EVENT_KINDS, type EventKind, schemaNameOf, TEST } from '../events/event-kinds.ts';
import type { Json } from './openapi-schemas.ts';

const SIGNATURE = { type: 'string', pattern: '^v1=[0-9a-f]{64}$' };
const UNIX_SECONDS = { type: 'string', pattern: '^[0-9]+$' };
const identifier = { type: 'string', ...LONG_IDENTIFIER };

/** The headers of every delivery; whether always sent, their meaning and their form. */
const HEADERS: readonly (readonly [name: string, isAlwaysSent: boolean, description: string, schema: Json])[] = [
  [
    'X-Service-Timestamp',
    true,
    'When the service signed this attempt, in Unix seconds. Refuse a time that differs from yours by more than five minutes.',
    UNIX_SECONDS,
  ],
  [
    'X-Service-Signature',
    true,
    'HMAC-SHA256 of the exact timestamp, a full stop and the raw bytes of the body; the key is the whole secret as text.',
    SIGNATURE,
  ],
  ['X-Service-Signature-Next', false, 'The signature with the next secret, during a rotation.', SIGNATURE],
  ['X-Service-Event-Id', true, 'The event_id of the body.', identifier],
  ['X-Service-Event-Type', true, 'The event_type of the body.', { type: 'string' }],
  ['X-Service-Delivery-Id', true, 'The id of the delivery: of this event to this endpoint.', identifier],
  [
    'X-Service-Attempt',
    true,
    '1 for the first attempt of the delivery, a higher number for each later one; numbers may be skipped.',
    { type: 'string', pattern: '^[1-9][0-9]*$' },
  ],
  [
    'X-Correlation-ID',
    true,
    'The correlation identifier of the request that caused the event; the id of the event without one.',
    identifier,
  ],
  ['webhook-id', true, 'Standard Webhooks: the id of the event.', identifier],
  ['webhook-timestamp', true, 'Standard Webhooks: the timestamp.', UNIX_SECONDS],
  [
    'webhook-signature',
    true,
    'Standard Webhooks: one signature `v1,<base64>`; two, separated by a space, during a rotation.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ],
];

const NOT_NOW = {
  description: 'The service tries again after `Retry-After`, or at the time of the next attempt where that is later.',
  headers: {
    'Retry-After': {
      description: 'Seconds, or an HTTP date. The service waits for 24 hours at most.',
      schema: { type: 'string' },
    },
  },
};

/** The effect of a receiver's answers. */
const ANSWERS: Record<string, Json> = {
  '2XX': { description: 'The receiver has the event. Verify and store it, answer within 15 seconds, and process it afterwards.' },
  '410': { description: 'The endpoint is gone. The service disables it at once, and holds its events until it is enabled.' },
  '429': NOT_NOW,
  '503': NOT_NOW,
  default: {
    description:
      'The receiver does not have the event, as without an answer within 15 seconds. The service tries again, ten times in all. It does not follow redirects.',
  },
};

const CHALLENGE_ANSWERS: Record<string, Json> = {
  '200': {
    description: 'The challenge of the request.',
    content: {
      'application/json': {
        schema: { type: 'object', required: ['challenge'], properties: { challenge: { type: 'string' } } },
      },
    },
  },
  default: { description: 'The service does not add the endpoint.' },
};

/** The headers of deliveries, for the section `components.parameters`. */
export const WEBHOOK_PARAMETERS: Record<string, Json> = Object.fromEntries(
  HEADERS.map(([name, required, description, schema]) => [name, { name, in: 'header', required, description, schema }]),
);

/** The section `webhooks`: the event types that the service sends, and the effect of the answers. */
export const WEBHOOKS: Record<string, Json> = Object.fromEntries([
  ...EVENT_TYPES.map((type) => [type, webhook(type, EVENT_KINDS[type], ANSWERS)]),
  [VERIFICATION_TYPE, webhook(VERIFICATION_TYPE, CHALLENGE, CHALLENGE_ANSWERS)],
  [
    TEST_TYPE,
    webhook(TEST_TYPE, TEST, {
      '2XX': ANSWERS['2XX'] as Json,
      '410': ANSWERS['410'] as Json,
      default: { description: 'The receiver does not have the event. The service does not try again.' },
    }),
  ],
]);

function webhook(type: string, { summary, description, schema, examples }: EventKind, responses: Record<string, Json>): Json {
  return {
    post: {
      operationId: `receive${schemaNameOf(type)}`,
      tags: ['Webhooks'],
      summary,
      description,
      // The receiver recognises the service by its signature.
      security: [],
      parameters: HEADERS.map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': { schema, examples } } },
      responses,
    },
  };
}
