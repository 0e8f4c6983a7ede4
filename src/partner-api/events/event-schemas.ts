import type { TProperties, TSchema } from 'typebox';
import { ADJUSTMENT_REASONS } from '../../domain/adjustments/adjustment.ts';
import { EVENT_API_VERSION, type EventType, TEST_TYPE, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { ENVIRONMENTAL_STATUSES } from '../../domain/impact/environmental-status.ts';
import { Contribution } from '../contributions/contribution-schemas.ts';
import { Association } from '../emissions/association-schemas.ts';
import {
  closed,
  count,
  Environment,
  int64,
  longId,
  nullable,
  nullableTime,
  oneOf,
  orNull,
  shortId,
  sum,
  time,
} from '../schema-parts.ts';
import { Type } from '../schema-type.ts';

/**
 * The data of events, by type: published in the OpenAPI document, for webhooks and for fetched events alike.
 *
 * @see docs/spec/interface.md#events; docs/spec/decisions.md#7-events.
 */

const signed = (description: string) => Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description });
const nullableId = (description: string) => nullable(LONG_IDENTIFIER, description);
const nullableAmount = (description: string) => nullable({ pattern: '^-?\\d+(\\.\\d+)?$' }, description);
const sha256 = { pattern: '^[0-9a-f]{64}$' };

const alwaysConfirmed = Type.Literal('confirmed', { description: 'The contribution stays confirmed.' });

/** The member `data` of an event type. A sample is marked as one. */
function says(members: TProperties): TSchema {
  const sample = Type.Optional(
    Type.Literal(true, { description: '`true` in a sample, which records nothing that happened; absent otherwise.' }),
  );
  return Type.Object({ ...members, sample }, closed);
}

const adjustmentMembers: TProperties = {
  adjustment_id: longId('The id of the adjustment. The service assigns it.'),
  transaction_id: longId('The id of the contribution, which an adjustment does not change.'),
  partner_event_id: longId('The partner_event_id of the contribution.'),
  partner_order_ref: shortId('The order of the contribution.'),
  reason_code: oneOf(ADJUSTMENT_REASONS, 'Why an operator corrected the settled points or their amount.'),
  reason_en: Type.String({ description: 'The reason in English.' }),
  reason_ar: Type.String({ description: 'The reason in Arabic.' }),
  points_delta: signed('The change of the settled points; negative where they become fewer.'),
  amount_delta: nullableAmount('The change of the settled amount by a restatement; `null` otherwise.'),
  settled_points_before: count('The settled points before the adjustment.'),
  settled_points_after: count("The settled points after the adjustment: 0 to the contribution's points."),
  settlement_id: nullableId('The settlement that has the adjustment; `null` until it is closed.'),
  original_settlement_id: nullableId('The settlement that has the contribution; `null` while none has it.'),
  reversal_of: nullableId('The adjustment that this one reverses; `null` otherwise.'),
  contribution_status: alwaysConfirmed,
  point_restoration_authorized: Type.Literal(false, {
    description: 'Always `false`: an adjustment never allows the partner to restore points.',
  }),
  posted_at: time('When an operator posted the adjustment, in UTC.'),
  environment: Environment,
};

export const Adjustment = Type.Object(adjustmentMembers, closed);

// Data

const confirmed = says({ contribution: Contribution, association: Association });

/** `change` tells which. */
const adjusted = Type.Unsafe({
  oneOf: [
    says({
      change: Type.Literal('failed', {
        description:
          'A pending contribution became failed, or operators recorded an event as failed that can never be confirmed.',
      }),
      contribution: Contribution,
      point_restoration_authorized: Type.Literal(true, {
        description: 'Restore the points of the customer, once for its `partner_event_id`.',
      }),
    }),
    says({
      change: Type.Literal('associated', { description: 'An estimate was linked after the confirmation.' }),
      contribution: Contribution,
      association: Association,
    }),
    says({
      change: Type.Literal('adjustment', {
        description: 'An operator posted a correction of settled points or of their amount.',
      }),
      ...adjustmentMembers,
    }),
  ],
});

const Statement = Type.Object(
  {
    csv_sha256: Type.String({ ...sha256, description: 'The SHA-256 of the statement, in lower-case hexadecimal digits.' }),
    line_count: count('The number of lines, without the header row.'),
    generated_at: time('When the service wrote the statement, in UTC.'),
    previous_csv_sha256: nullable(sha256, 'The SHA-256 of the previous statement; `null` in the first one.'),
  },
  closed,
);

export const Acknowledgement = Type.Object(
  {
    status: oneOf(
      ['pending', 'accepted', 'disputed'],
      'What the partner said of the settlement. It does not open the settlement again.',
    ),
    acknowledged_at: nullableTime('When the partner said it, in UTC; `null` while `pending`.'),
    reference: nullable({}, "The partner's reference; `null` without one."),
    note: nullable({}, "The partner's note; `null` without one."),
  },
  { ...closed, description: 'Whether the partner accepted or disputed the settlement.' },
);

const VersionTotals = Type.Object(
  {
    contribution_rule_version: Type.String({ description: 'The version of the contribution rule that the service applied.' }),
    point_conversion_version: Type.String({ description: 'The version of the point conversion that the service applied.' }),
    tree_cost_version: Type.String({ description: 'The version of the tree cost that the service applied.' }),
    count: count('The number of contributions with these versions.'),
    points: sum('The net points of these contributions.'),
    amount: nullableAmount('The amount of these contributions, exact; `null` without a point conversion.'),
  },
  closed,
);

export const Settlement = Type.Object(
  {
    settlement_id: longId('The id of the settlement. The service assigns it.'),
    sequence: int64('The number of the settlement for this partner, without gaps.'),
    status: oneOf(['open', 'closed'], 'The status of the settlement. `closed` is terminal.'),
    environment: Environment,
    period_start: time('The first moment of the period, in UTC.'),
    period_end: time('The first moment after the period, in UTC.'),
    period_timezone: Type.String({ description: 'The time zone of the days of the period, such as `Asia/Riyadh`.' }),
    period_label: Type.String({ description: 'The name of the period, such as `2026-11`; `2026-11-2` after an early close.' }),
    contribution_count: count('The number of contributions on the settlement.'),
    adjustment_count: count('The number of adjustments on the settlement.'),
    gross_points: sum('The sum of the points of the contributions.', { minimum: 0 }),
    adjustment_points: sum('The sum of the points of the adjustments.'),
    carried_in_points: sum('The `carried_out_points` of the previous settlement: 0 or negative.', { maximum: 0 }),
    net_points: sum('The points of this period: `gross_points` plus `adjustment_points`.'),
    payable_points: sum('`carried_in_points` plus `net_points` where that is positive, else 0.', { minimum: 0 }),
    carried_out_points: sum(
      '`carried_in_points` plus `net_points` where that is negative, else 0. The next settlement begins with it.',
      { maximum: 0 },
    ),
    carried_in_amount: nullableAmount(
      "The `carried_out_amount` of the previous settlement: 0 or negative. This amount and the three that follow are rounded to the currency's minor unit, and are `null` without a point conversion.",
    ),
    net_amount: nullableAmount(
      'The amount of this period. Lines are exact, and the service rounds the total once: where fractions of a minor unit were carried in, it may differ by one minor unit from the rounded sum of the lines.',
    ),
    payable_amount: nullableAmount('The amount to pay: `carried_in_amount` plus `net_amount` where that is positive, else 0.'),
    carried_out_amount: nullableAmount(
      '`carried_in_amount` plus `net_amount` where that is negative, else 0. The next settlement begins with it.',
    ),
    amount: nullableAmount(
      '`payable_amount` or `carried_out_amount`, whichever is not 0, under an earlier name. Do not add up these amounts: they repeat what is carried from month to month.',
    ),
    currency: nullable({ pattern: '^[A-Z]{3}$' }, 'The currency by ISO 4217; `null` without a point conversion.'),
    totals_by_version: Type.Array(VersionTotals, { description: 'The totals for each combination of versions.' }),
    created_at: time('When the service opened the settlement, in UTC.'),
    closed_at: nullableTime('When the settlement was closed, in UTC; `null` while it is open.'),
    as_of: nullableTime('When the service computed the totals of an open settlement, in UTC; `null` once it is closed.'),
    statement: orNull(Statement, 'The statement: all lines as CSV. `null` while the settlement is open.'),
    acknowledgement: Acknowledgement,
  },
  closed,
);

export const Evidence = Type.Object(
  {
    type: Type.String({ description: 'The kind of evidence, such as `photo`.' }),
    url: Type.String({ description: 'The address of the evidence.' }),
    sha256: Type.String({ ...sha256, description: 'The SHA-256 of the bytes at that address.' }),
    captured_at: time('When the evidence was made, in UTC.'),
  },
  closed,
);

export const EVIDENCE_DESCRIPTION =
  'Every file of evidence of the impact batch, the oldest first: after the batch was given to another project, also those of the project before.';

export const Project = Type.Object(
  {
    project_id: longId('The id of the project. The service assigns it.'),
    name_en: Type.String({ description: 'The name of the project in English.' }),
    name_ar: Type.String({ description: 'The name of the project in Arabic.' }),
    country: Type.String({ pattern: '^[A-Z]{2}$', description: 'The country of the project by ISO 3166-1.' }),
  },
  closed,
);

const environmentalStatus = says({
  impact_batch_id: longId(
    'The id of the impact batch: the contributions of one or more closed settlements, pooled for a project.',
  ),
  status: oneOf(ENVIRONMENTAL_STATUSES, 'The status of the impact batch. `verified` is terminal.'),
  previous_status: orNull(
    oneOf(ENVIRONMENTAL_STATUSES, 'A status of the impact batch.'),
    'The status before the change; `null` without one.',
  ),
  change_type: oneOf(
    ['advanced', 'delayed', 'reallocated', 'evidence_added', 'corrected'],
    'What changed. `reallocated`: another project takes the place of one that could not deliver.',
  ),
  quantity: Type.Object(
    {
      value: count('The number of trees.'),
      unit: Type.Literal('tree', { description: 'The unit of the quantity: always `tree`.' }),
    },
    { ...closed, description: 'The quantity of the whole impact batch.' },
  ),
  project: orNull(Project, 'The project; `null` before the impact batch is allocated.'),
  evidence: Type.Array(Evidence, { description: EVIDENCE_DESCRIPTION }),
  affected_transaction_count: count('The number of contributions of this partner in the impact batch.'),
  transactions_path: Type.String({ description: 'The path that lists these contributions.' }),
  summary_en: Type.String({ description: 'The status as a sentence in English.' }),
  summary_ar: Type.String({ description: 'The status as a sentence in Arabic.' }),
  contribution_status: alwaysConfirmed,
  occurred_at: time('When the change happened, in UTC.'),
});

const settlement = says({ settlement: Settlement });

const challenge = Type.Object(
  { challenge: Type.String({ description: 'Answer 200 with it, as JSON: `{"challenge": "…"}`.' }) },
  closed,
);

// Envelopes

/** Every member is in every event. */
function envelope(eventType: string, sequence: TSchema, data: TSchema): TSchema {
  return Type.Object(
    {
      event_id: longId('The id of the event. It is the same in every delivery: process the event once.'),
      event_type: Type.Literal(eventType, { description: 'The kind of event. Answer a kind that you do not know with 200.' }),
      api_version: Type.Literal(EVENT_API_VERSION, { description: 'The version of the interface.' }),
      environment: Environment,
      sequence,
      occurred_at: time('When the service recorded the change, in UTC.'),
      correlation_id: nullableId(
        'The correlation identifier of the request, the change by an operator or the scheduled work that caused the event; `null` in events of very old records.',
      ),
      data,
    },
    closed,
  );
}

const sequence = Type.Unsafe<bigint | null>({
  type: ['integer', 'null'],
  format: 'int64',
  minimum: 1,
  description:
    'The order of the events of a partner, without gaps, except after a restore; `null` in tests and samples, which are not among them.',
});

/** The whole body, by kind. */
export const EVENT_ENVELOPES = {
  'impact.transaction.confirmed': envelope('impact.transaction.confirmed', sequence, confirmed),
  'impact.transaction.adjusted': envelope('impact.transaction.adjusted', sequence, adjusted),
  'settlement.created': envelope('settlement.created', sequence, settlement),
  'settlement.closed': envelope('settlement.closed', sequence, settlement),
  'environmental.status.updated': envelope('environmental.status.updated', sequence, environmentalStatus),
} as const satisfies Record<EventType, TSchema>;

const withoutSequence = Type.Unsafe<null>({
  type: 'null',
  description: 'The number of an event of the partner. This one has none.',
});

export const ChallengeEnvelope = envelope(VERIFICATION_TYPE, withoutSequence, challenge);

export const TestEnvelope = envelope(TEST_TYPE, withoutSequence, says({ endpoint_id: longId('The id of the endpoint.') }));
