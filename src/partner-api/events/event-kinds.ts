import type { TSchema } from 'typebox';
import { EVENT_TYPES, type EventType, TEST_TYPE, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import type { Examples } from '../openapi/openapi-examples.ts';
import { Type } from '../schema-type.ts';
import { EVENT_EXAMPLES } from './event-examples.ts';
import { ChallengeEnvelope, EVENT_ENVELOPES, TestEnvelope } from './event-schemas.ts';

/** Everything that is published of an event type. */
export interface EventKind {
  /** When the event is sent. */
  readonly summary: string;
  /** What the receiver must know about it. */
  readonly description: string;
  /** The whole body. */
  readonly schema: TSchema;
  readonly examples: Examples;
}

export const EVENT_KINDS: Record<EventType, EventKind> = {
  'impact.transaction.confirmed': {
    summary: 'A contribution became confirmed',
    description: 'The contribution and the association are those of the answer 201. A replay sends no event.',
    schema: EVENT_ENVELOPES['impact.transaction.confirmed'],
    examples: EVENT_EXAMPLES['impact.transaction.confirmed'],
  },
  'impact.transaction.adjusted': {
    summary: 'A contribution, its association or its settled points changed',
    description:
      '`data.change` says what changed. Restore points only after `failed`, once for each `partner_event_id`, and never after another change.',
    schema: EVENT_ENVELOPES['impact.transaction.adjusted'],
    examples: EVENT_EXAMPLES['impact.transaction.adjusted'],
  },
  'settlement.created': {
    summary: 'A settlement was opened',
    description: 'The totals are those of the moment at which the service opened it.',
    schema: EVENT_ENVELOPES['settlement.created'],
    examples: EVENT_EXAMPLES['settlement.created'],
  },
  'settlement.closed': {
    summary: 'A settlement was closed',
    description: 'The totals are final. The event has the hash of the statement.',
    schema: EVENT_ENVELOPES['settlement.closed'],
    examples: EVENT_EXAMPLES['settlement.closed'],
  },
  'environmental.status.updated': {
    summary: 'The status of an impact batch with your contributions changed',
    description:
      'One event for each impact batch, with the number of contributions and without their list. It does not change a contribution.',
    schema: EVENT_ENVELOPES['environmental.status.updated'],
    examples: EVENT_EXAMPLES['environmental.status.updated'],
  },
};

/** The request that a new endpoint must answer before its first event. */
export const CHALLENGE: EventKind = {
  summary: 'A new endpoint is challenged',
  description:
    'Answer 200 with the challenge of the body. The service signs it with the secret that you get afterwards, so do nothing else on receiving it.',
  schema: ChallengeEnvelope,
  examples: EVENT_EXAMPLES[VERIFICATION_TYPE],
};

/** Sent when an operator tests an endpoint. */
export const TEST: EventKind = {
  summary: 'An operator tries an endpoint out',
  description: 'Verify it like every event, answer 2xx and book nothing. It is sent once.',
  schema: TestEnvelope,
  examples: EVENT_EXAMPLES[TEST_TYPE],
};

/** `impact.transaction.confirmed` is `ImpactTransactionConfirmed` among the schemas of the document. */
export function schemaNameOf(eventType: string): string {
  return eventType
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The shape of an event of any type. */
export const Event = Type.Unsafe<object>({
  oneOf: EVENT_TYPES.map((type) => EVENT_ENVELOPES[type]),
  discriminator: {
    propertyName: 'event_type',
    mapping: Object.fromEntries(EVENT_TYPES.map((type) => [type, `#/components/schemas/${schemaNameOf(type)}`])),
  },
  description: '`event_type` distinguishes them, an open list.',
});
