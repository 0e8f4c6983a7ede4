import { type TProperties, type TSchema, Type } from 'typebox';
import { EVENT_API_VERSION, type EventType, TEST_TYPE, VERIFICATION_TYPE } from '../../domain/events/event.ts';
import { LONG_IDENTIFIER } from '../../domain/identifiers.ts';
import { Contribution } from '../contributions/contribution-schemas.ts';
import { Association } from '../emissions/association-schemas.ts';
import { closed, Environment, int64, longId, nullable, nullableTime, shortId, sum, time } from '../schema-parts.ts';

/**
 * What events say, kind by kind: published in the OpenAPI document, for webhooks and for whoever fetches events alike.
 *
 * @see docs/spec/interface.md#events; docs/spec/decisions.md#7-events.
 */

const oneOf = (values: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], description });
const count = (description: string) => int64(description, { minimum: 0 });
const signed = (description: string) => Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description });
const nullableId = (description: string) => nullable(LONG_IDENTIFIER, description);
const nullableAmount = (description: string) => nullable({ pattern: '^-?\\d+(\\.\\d+)?$' }, description);
const sha256 = { pattern: '^[0-9a-f]{64}$' };
const orNull = (schema: TSchema, description: string) => Type.Unsafe({ anyOf: [schema, { type: 'null' }], description });

const alwaysConfirmed = Type.Literal('confirmed', { description: 'The contribution stays confirmed.' });

/** The member `data` of a kind. A sample says that it is one. */
function says(members: TProperties): TSchema {
  const sample = Type.Optional(Type.Literal(true, { description: 'Only in a sample: nothing of it happened.' }));
  return Type.Object({ ...members, sample }, closed);
}

const adjustmentMembers: TProperties = {
  adjustment_id: longId('Assigned by the service.'),
  transaction_id: longId('The contribution, which stays as it is.'),
  partner_event_id: longId('Of the contribution.'),
  partner_order_ref: shortId('Of the contribution.'),
  reason_code: oneOf(
    [
      'duplicate_report',
      'partner_reporting_error',
      'operator_error',
      'conversion_restatement',
      'tree_cost_restatement',
      'compliance',
      'other',
    ],
    'Why.',
  ),
  reason_en: Type.String({ description: 'English.' }),
  reason_ar: Type.String({ description: 'Arabic.' }),
  points_delta: signed('What is added to the settled points; negative where they become fewer.'),
  amount_delta: nullableAmount('What is added to the settled amount, by a restatement; `null` otherwise.'),
  settled_points_before: count('Settled points before it.'),
  settled_points_after: count("Settled points after it: 0 to the contribution's points."),
  settlement_id: nullableId('The settlement that it is on; `null` until one closes over it.'),
  original_settlement_id: nullableId('The settlement that the contribution is on; `null` while it is on none.'),
  reversal_of: nullableId('The adjustment that it takes back.'),
  contribution_status: alwaysConfirmed,
  point_restoration_authorized: Type.Literal(false, { description: 'An adjustment never authorises it.' }),
  posted_at: time('UTC.'),
  environment: Environment,
};

export const Adjustment = Type.Object(adjustmentMembers, closed);

// Data

const confirmed = says({ contribution: Contribution, association: Association });

/** Told apart by `change`. */
const adjusted = Type.Unsafe({
  oneOf: [
    says({
      change: Type.Literal('failed', { description: 'A pending contribution failed for good.' }),
      contribution: Contribution,
      point_restoration_authorized: Type.Literal(true, { description: 'Restore the points, once for this `transaction_id`.' }),
    }),
    says({
      change: Type.Literal('associated', { description: 'An estimate was linked after the confirmation.' }),
      contribution: Contribution,
      association: Association,
    }),
    says({
      change: Type.Literal('adjustment', { description: 'A correction of what is settled was posted.' }),
      ...adjustmentMembers,
    }),
  ],
});

const Statement = Type.Object(
  {
    csv_sha256: Type.String({ ...sha256, description: 'Of the statement, in lower-case hexadecimal digits.' }),
    line_count: count('Lines without the header row.'),
    generated_at: time('UTC.'),
    previous_csv_sha256: nullable(sha256, 'Of the statement before it; `null` in the first.'),
  },
  closed,
);

export const Acknowledgement = Type.Object(
  {
    status: oneOf(['pending', 'accepted', 'disputed'], 'It reopens nothing.'),
    acknowledged_at: nullableTime('UTC; `null` while pending.'),
    reference: nullable({}, "The partner's own reference."),
    note: nullable({}, "The partner's own words."),
  },
  { ...closed, description: 'What the partner said to it.' },
);

const VersionTotals = Type.Object(
  {
    contribution_rule_version: Type.String({ description: 'Version of the contribution rule applied.' }),
    point_conversion_version: Type.String({ description: 'Version of the point conversion applied.' }),
    tree_cost_version: Type.String({ description: 'Version of the tree cost applied.' }),
    count: count('Contributions under these versions.'),
    points: sum('Their net points.'),
    amount: nullableAmount('Exact; `null` without a conversion.'),
  },
  closed,
);

export const Settlement = Type.Object(
  {
    settlement_id: longId('Assigned by the service.'),
    sequence: int64('Per partner, without gaps.'),
    status: oneOf(['open', 'closed'], '`closed` is terminal.'),
    environment: Environment,
    period_start: time('UTC; the first moment of the period.'),
    period_end: time('UTC; the first moment after the period.'),
    period_timezone: Type.String({ description: 'By whose calendar the period runs, such as `Asia/Riyadh`.' }),
    period_label: Type.String({ description: 'Such as `2026-11`; `2026-11-2` after an early close.' }),
    contribution_count: count('Contributions on it.'),
    adjustment_count: count('Adjustments on it.'),
    gross_points: sum('Points of the contributions.', { minimum: 0 }),
    adjustment_points: sum('Points of the adjustments.'),
    carried_in_points: sum('What the settlement before it carried out: 0 or negative.', { maximum: 0 }),
    net_points: sum('Of this period: gross points and adjustment points together.'),
    payable_points: sum('`carried_in_points` and `net_points` together, where that is positive; else 0.', { minimum: 0 }),
    carried_out_points: sum('The same, where it is negative: the next settlement begins with it. Else 0.', { maximum: 0 }),
    carried_in_amount: nullableAmount(
      "What the settlement before it carried out: 0 or negative. In the currency's minor units, as the three that follow; `null` without a conversion.",
    ),
    net_amount: nullableAmount(
      'Of this period. Lines are exact and the total is rounded once: where fractions of a minor unit were carried in, it may differ from the rounded sum of the lines by one.',
    ),
    payable_amount: nullableAmount(
      'What is to be paid: `carried_in_amount` and `net_amount` together, where that is positive; else 0.',
    ),
    carried_out_amount: nullableAmount('The same, where it is negative: the next settlement begins with it. Else 0.'),
    amount: nullableAmount(
      'The earlier name of `payable_amount` and `carried_out_amount`: whichever is not 0. It repeats what is carried from month to month, so it is not for adding up.',
    ),
    currency: nullable({ pattern: '^[A-Z]{3}$' }, 'ISO 4217; `null` without a conversion.'),
    totals_by_version: Type.Array(VersionTotals, { description: 'The totals, apart for each set of rules.' }),
    created_at: time('UTC.'),
    closed_at: nullableTime('UTC; `null` while open.'),
    as_of: nullableTime('When the totals of an open settlement were computed; `null` once it is closed.'),
    statement: orNull(Statement, 'The list of its lines; `null` while open.'),
    acknowledgement: Acknowledgement,
  },
  closed,
);

export const Evidence = Type.Object(
  {
    type: Type.String({ description: 'What it is, such as `photo`.' }),
    url: Type.String({ description: 'Where it is.' }),
    sha256: Type.String({ ...sha256, description: 'Of its bytes.' }),
    captured_at: time('UTC.'),
  },
  closed,
);

export const Project = Type.Object(
  {
    project_id: longId('Assigned by the service.'),
    name_en: Type.String({ description: 'English.' }),
    name_ar: Type.String({ description: 'Arabic.' }),
    country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1.' }),
  },
  closed,
);

export const BATCH_STATUSES = ['recorded', 'allocated', 'funded', 'in_progress', 'delivered', 'verified'] as const;

const environmentalStatus = says({
  impact_batch_id: longId('The contributions of one or more closed settlements, pooled for a project.'),
  status: oneOf(BATCH_STATUSES, '`verified` is terminal.'),
  previous_status: orNull(oneOf(BATCH_STATUSES, 'As before.'), '`null` when there was none.'),
  change_type: oneOf(
    ['advanced', 'delayed', 'reallocated', 'evidence_added', 'corrected'],
    '`reallocated`: the project could not deliver.',
  ),
  quantity: Type.Object(
    { value: count('Whole trees.'), unit: Type.Literal('tree', { description: 'Always `tree`.' }) },
    { ...closed, description: 'Of the batch.' },
  ),
  project: orNull(Project, '`null` before the batch is allocated.'),
  evidence: Type.Array(Evidence, { description: 'What shows it.' }),
  affected_transaction_count: count('Contributions of this partner in the batch.'),
  transactions_path: Type.String({ description: 'Where they are listed.' }),
  summary_en: Type.String({ description: 'English.' }),
  summary_ar: Type.String({ description: 'Arabic.' }),
  contribution_status: alwaysConfirmed,
  occurred_at: time('UTC.'),
});

const settlement = says({ settlement: Settlement });

const challenge = Type.Object(
  { challenge: Type.String({ description: 'Answer 200 with it, as JSON: `{"challenge": "…"}`.' }) },
  closed,
);

// Envelopes

/** Every member is there in every event. */
function envelope(eventType: string, sequence: TSchema, data: TSchema): TSchema {
  return Type.Object(
    {
      event_id: longId('The same in every delivery of this event: process it once.'),
      event_type: Type.Literal(eventType, { description: 'The kind. Answer one that you do not know with 200.' }),
      api_version: Type.Literal(EVENT_API_VERSION, { description: 'Version of the interface.' }),
      environment: Environment,
      sequence,
      occurred_at: time('UTC; when the change was recorded.'),
      correlation_id: nullableId('Of the request that caused it; `null` when there was none.'),
      data,
    },
    closed,
  );
}

const sequence = Type.Unsafe<bigint | null>({
  type: ['integer', 'null'],
  format: 'int64',
  minimum: 1,
  description: 'The order of the events of a partner, without gaps; `null` in tests and samples, which are not among them.',
});

/** The whole body, by kind. */
export const EVENT_ENVELOPES = {
  'impact.transaction.confirmed': envelope('impact.transaction.confirmed', sequence, confirmed),
  'impact.transaction.adjusted': envelope('impact.transaction.adjusted', sequence, adjusted),
  'settlement.created': envelope('settlement.created', sequence, settlement),
  'settlement.closed': envelope('settlement.closed', sequence, settlement),
  'environmental.status.updated': envelope('environmental.status.updated', sequence, environmentalStatus),
} as const satisfies Record<EventType, TSchema>;

const unnumbered = Type.Unsafe<null>({ type: 'null', description: 'It is not among the events of the partner.' });

export const ChallengeEnvelope = envelope(VERIFICATION_TYPE, unnumbered, challenge);

export const TestEnvelope = envelope(TEST_TYPE, unnumbered, says({ endpoint_id: longId('The endpoint that it was sent to.') }));
