import { EVENT_TYPES, TEST_TYPE, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { CHALLENGE, EVENT_KINDS, type EventKind, schemaNameOf, TEST } from '../events/event-kinds.ts';
import type { Json } from './openapi-schemas.ts';

const SIGNATURE = { type: 'string', pattern: '^v1=[0-9a-f]{64}$' };
const UNIX_SECONDS = { type: 'string', pattern: '^[0-9]+$' };
const identifier = { type: 'string', ...LONG_IDENTIFIER };

/** What every delivery carries beside its body; whether always, what it is, and its form. */
const HEADERS: readonly (readonly [name: string, isAlwaysSent: boolean, description: string, schema: Json])[] = [
  [
    'X-Service-Timestamp',
    true,
    'When this attempt was signed: Unix seconds. Refuse one that is more than five minutes off.',
    UNIX_SECONDS,
  ],
  [
    'X-Service-Signature',
    true,
    'HMAC-SHA256 of the exact timestamp, a full stop and the raw bytes of the body; the key is the whole secret as text.',
    SIGNATURE,
  ],
  ['X-Service-Signature-Next', false, 'The same by the next secret, while a secret rotates.', SIGNATURE],
  ['X-Service-Event-Id', true, 'As in the body.', identifier],
  ['X-Service-Event-Type', true, 'As in the body.', { type: 'string' }],
  ['X-Service-Delivery-Id', true, 'This event to this endpoint.', identifier],
  ['X-Service-Attempt', true, '1 for the first attempt of the delivery.', { type: 'string', pattern: '^[1-9][0-9]*$' }],
  ['X-Correlation-ID', true, 'Of the request that caused the event; the id of the event where there was none.', identifier],
  ['webhook-id', true, 'Standard Webhooks: the id of the event.', identifier],
  ['webhook-timestamp', true, 'Standard Webhooks: the timestamp.', UNIX_SECONDS],
  [
    'webhook-signature',
    true,
    'Standard Webhooks: one signature `v1,<base64>`; two with a space between while a secret rotates.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ],
];

const NOT_NOW = {
  description: 'Not now: tried again at the later of `Retry-After` and the next attempt.',
  headers: { 'Retry-After': { description: 'Seconds, or a date of HTTP; 24 hours count at most.', schema: { type: 'string' } } },
};

/** What the answers of a receiver come to. */
const ANSWERS: Record<string, Json> = {
  '2XX': { description: 'Taken. Verify, store, answer within 15 seconds, and work afterwards.' },
  '410': { description: 'The endpoint is gone: it is disabled at once, and its events are held until it is enabled.' },
  '429': NOT_NOW,
  '503': NOT_NOW,
  default: {
    description: 'Not taken, like no answer within 15 seconds: tried again, ten attempts in all. Redirects are not followed.',
  },
};

const CHALLENGE_ANSWERS: Record<string, Json> = {
  '200': {
    description: 'The challenge, sent back.',
    content: {
      'application/json': {
        schema: { type: 'object', required: ['challenge'], properties: { challenge: { type: 'string' } } },
      },
    },
  },
  default: { description: 'The endpoint is not entered.' },
};

/** The headers of deliveries, for the section `components.parameters`. */
export const WEBHOOK_PARAMETERS: Record<string, Json> = Object.fromEntries(
  HEADERS.map(([name, required, description, schema]) => [name, { name, in: 'header', required, description, schema }]),
);

/** The section `webhooks`: what the service sends, kind by kind, and what it makes of the answers. */
export const WEBHOOKS: Record<string, Json> = Object.fromEntries([
  ...EVENT_TYPES.map((type) => [type, webhook(type, EVENT_KINDS[type], ANSWERS)]),
  [VERIFICATION_TYPE, webhook(VERIFICATION_TYPE, CHALLENGE, CHALLENGE_ANSWERS)],
  [
    TEST_TYPE,
    webhook(TEST_TYPE, TEST, { '2XX': ANSWERS['2XX'] as Json, default: { description: 'Not taken. It is not tried again.' } }),
  ],
]);

function webhook(type: string, { summary, description, schema, examples }: EventKind, responses: Record<string, Json>): Json {
  return {
    post: {
      operationId: `receive${schemaNameOf(type)}`,
      tags: ['Webhooks'],
      summary,
      description,
      // The receiver knows the service by its signature.
      security: [],
      parameters: HEADERS.map(([name]) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': { schema, examples } } },
      responses,
    },
  };
}
