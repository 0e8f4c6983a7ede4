import { Type } from 'typebox';
import { ADJUSTMENT_REASONS } from '../../domain/adjustments/adjustment.ts';
import { EVENT_TYPES, type EventType } from '../../domain/events/event.ts';
import { ENVIRONMENTAL_STATUSES, type EnvironmentalStatus } from '../../domain/impact/environmental-status.ts';
import { SAMPLE_FAULTS, type SampleFault } from '../../domain/sandbox/sample-fault.ts';
import { closed, int64, longId, nullable, time } from '../schema-parts.ts';

/** The shapes of the paths of the sandbox. @see docs/spec/decisions.md#8-sandbox. */

const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values], description });

export const ResolveBody = Type.Object(
  { status: oneOf(['confirmed', 'failed'] as const, 'How the pending contribution ends, for good.') },
  closed,
);

export const SampleBody = Type.Object(
  {
    event_type: oneOf<EventType>(EVENT_TYPES, 'The kind of event.'),
    change: Type.Optional(
      oneOf(
        ['associated', 'failed', 'adjustment'] as const,
        'Of `impact.transaction.adjusted`: which change; `failed` when left out.',
      ),
    ),
    fault: Type.Optional(
      oneOf<SampleFault>(
        SAMPLE_FAULTS,
        '`duplicate`: twice. `reordered`: two, the later one first. `bad_signature`: signed with another secret. `stale`: signed ten minutes ago. `unknown_type`: of a kind that nobody knows. `rotation`: signed by the next secret too.',
      ),
    ),
    endpoint_id: Type.Optional(longId('Only to this endpoint; else to every active one that receives the kind.')),
  },
  closed,
);

export const SampleDelivery = Type.Object(
  {
    delivery_id: longId('As in the log of deliveries.'),
    endpoint_id: longId('The endpoint that it went to.'),
    event_id: longId('Of the sample; a duplicate has the same.'),
    event_type: Type.String({ description: 'Of the sample.' }),
    delivered: Type.Boolean({ description: 'The receiver answered 2xx.' }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'HTTP status of its answer; `null` without one.',
    }),
    error_class: nullable({}, 'Why there was no answer.'),
    milliseconds: Type.Integer({ description: 'Until the answer.' }),
    expected: oneOf(['accepted', 'refused'] as const, 'What a right receiver does with it.'),
    as_expected: Type.Boolean({ description: 'The receiver did so.' }),
  },
  closed,
);

export const AdjustmentBody = Type.Object(
  {
    transaction_id: longId('A confirmed contribution.'),
    points_delta: Type.Unsafe<bigint>({
      ...{ type: 'integer', format: 'int64', 'x-lenient': true },
      description: 'What is added to the settled points, such as -100; 0 for a restatement.',
    }),
    amount_delta: Type.Optional(nullable({}, 'Of a restatement: a signed decimal, such as `"-12.5"`.')),
    reason_code: oneOf(ADJUSTMENT_REASONS, 'Why.'),
    reason_en: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'English.' })),
    reason_ar: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Arabic.' })),
    reversal_of: Type.Optional(nullable({}, 'The adjustment that this one takes back.')),
  },
  closed,
);

export const ImpactBatchBody = Type.Object(
  {
    settlement_ids: Type.Optional(
      Type.Array(longId('A closed settlement with contributions.'), {
        ...{ minItems: 1, maxItems: 24 },
        description: 'What a new batch pools, for good.',
      }),
    ),
    impact_batch_id: Type.Optional(longId('A batch that you made here, to be advanced; instead of `settlement_ids`.')),
    quantity: Type.Optional(int64('Whole trees of a new batch; 1 when left out.')),
    status: Type.Optional(
      oneOf<EnvironmentalStatus>(ENVIRONMENTAL_STATUSES, 'How far it goes, step by step; `recorded` when left out.'),
    ),
  },
  closed,
);

export const ClockBody = Type.Object(
  {
    advance: Type.String({
      ...{ minLength: 2, maxLength: 64 },
      description: 'ISO 8601 duration, such as `P1M`, `P3D` or `PT36H`; at most five years ahead in all.',
    }),
  },
  closed,
);

export const ClockAnswer = {
  clock: Type.Object({ now: time('What your clock shows now; nobody else’s moved.') }, closed),
  done: Type.Object(
    {
      estimates_expired: Type.Integer({ description: 'Estimates that have expired by it.' }),
      contributions_ended: Type.Integer({ description: 'Pending contributions that ended as their scenario says.' }),
      contributions_failed: Type.Integer({ description: 'Pending contributions that no operator decided on in time.' }),
      settlements_closed: Type.Array(longId('A settlement.'), { description: 'Settlements that were closed, the first first.' }),
    },
    { ...closed, description: 'What was due. Its events are on their way.' },
  ),
};
