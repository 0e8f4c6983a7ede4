import { ADJUSTMENT_REASONS } from '../../domain/adjustments/adjustment.ts';
import { EVENT_TYPES, type EventType } from '../../domain/events/event.ts';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { ENVIRONMENTAL_STATUSES, type EnvironmentalStatus } from '../../domain/impact/environmental-status.ts';
import { SAMPLE_FAULTS, type SampleFault } from '../../domain/sandbox/sample-fault.ts';
import { REASON_CHARACTERS_MAX } from '../../domain/single-line-text.ts';
import { closed, int64, line, longId, nullable, oneOf, shortId, time } from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/** The shapes of the paths of the sandbox. @see docs/spec/decisions.md#8-sandbox. */

export const ResolveBody = Type.Object(
  { status: oneOf(['confirmed', 'failed'] as const, 'How the pending contribution ends.') },
  closed,
);

export const FailureBody = Type.Object(
  {
    partner_event_id: longId('The event, which the service never stored.'),
    partner_order_ref: shortId('The order of the event.'),
    points: int64('The points that were deducted.', { 'x-error-code': 'invalid_point_amount' }),
  },
  closed,
);

export const SampleBody = Type.Object(
  {
    event_type: oneOf<EventType>(EVENT_TYPES, 'The kind of event.'),
    change: Type.Optional(
      oneOf(
        ['associated', 'failed', 'adjustment'] as const,
        'For `impact.transaction.adjusted`, the change; `failed` without it.',
      ),
    ),
    fault: Type.Optional(
      oneOf<SampleFault>(
        SAMPLE_FAULTS,
        '`duplicate`: twice. `reordered`: two, the later one first. `bad_signature`: signed with another secret. `stale`: signed ten minutes ago. `unknown_type`: of a kind that nobody knows. `rotation`: signed by the next secret too.',
      ),
    ),
    endpoint_id: Type.Optional(
      longId('The only endpoint that receives the sample; without it, every active endpoint that receives the kind.'),
    ),
  },
  closed,
);

export const SampleDelivery = Type.Object(
  {
    delivery_id: longId('The id of the delivery, as in the list of deliveries.'),
    endpoint_id: longId('The id of the endpoint.'),
    event_id: longId('The id of the event of the sample; a duplicate has the same.'),
    event_type: Type.String({ description: 'The kind of event of the sample.' }),
    delivered: Type.Boolean({ description: 'Whether the receiver answered 2xx.' }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The HTTP status of the answer; `null` without an answer.',
    }),
    error_class: nullable({}, 'Why there was no answer; `null` with an answer.'),
    milliseconds: Type.Integer({ description: 'The milliseconds until the answer.' }),
    expected: oneOf(['accepted', 'refused'] as const, 'What a correct receiver does with the sample.'),
    as_expected: Type.Boolean({ description: 'Whether the receiver did what was expected.' }),
  },
  closed,
);

export const AdjustmentBody = Type.Object(
  {
    transaction_id: longId('The id of a confirmed contribution.'),
    points_delta: Type.Unsafe<bigint>({
      type: 'integer',
      format: 'int64',
      'x-signed': true,
      description: 'The change of the settled points, such as -100; 0 for a restatement.',
    }),
    amount_delta: Type.Optional(
      nullable({}, 'The change of the settled amount by a restatement, as a signed decimal such as `"-12.5"`.'),
    ),
    reason_code: oneOf(ADJUSTMENT_REASONS, 'The reason of the adjustment.'),
    reason_en: Type.Optional(line('The reason in English.', REASON_CHARACTERS_MAX)),
    reason_ar: Type.Optional(line('The reason in Arabic.', REASON_CHARACTERS_MAX)),
    reversal_of: Type.Optional(nullable(LONG_IDENTIFIER, 'The adjustment that this one reverses.')),
  },
  closed,
);

export const ImpactBatchBody = Type.Object(
  {
    settlement_ids: Type.Optional(
      Type.Array(longId('The id of a closed settlement with contributions.'), {
        minItems: 1,
        maxItems: 24,
        description: 'The settlements whose contributions a new impact batch pools, permanently.',
      }),
    ),
    impact_batch_id: Type.Optional(longId('The impact batch of yours to advance, instead of `settlement_ids`.')),
    quantity: Type.Optional(int64('The number of trees of a new impact batch; 1 without it.')),
    status: Type.Optional(
      oneOf<EnvironmentalStatus>(
        ENVIRONMENTAL_STATUSES,
        'The status to which the service advances the impact batch, step by step; `recorded` without it.',
      ),
    ),
  },
  closed,
);

export const ClockBody = Type.Object(
  {
    advance: Type.String({
      minLength: 2,
      maxLength: 64,
      description: 'ISO 8601 duration, such as `P1M`, `P3D` or `PT36H`; at most five years ahead in all.',
    }),
  },
  closed,
);

export const ClockAnswer = {
  clock: Type.Object({ now: time('The present time of your clock, in UTC. No other clock has moved.') }, closed),
  done: Type.Object(
    {
      estimates_expired: Type.Integer({ description: 'The number of estimates that expired.' }),
      contributions_ended: Type.Integer({
        description: 'The number of pending contributions that ended as their scenario says.',
      }),
      contributions_failed: Type.Integer({
        description: 'The number of pending contributions that failed because no operator decided in time.',
      }),
      settlements_closed: Type.Array(longId('The id of a settlement.'), {
        description: 'The settlements that the service closed, the earliest first.',
      }),
    },
    { ...closed, description: 'What became due at the new time. The service sends its events.' },
  ),
};
