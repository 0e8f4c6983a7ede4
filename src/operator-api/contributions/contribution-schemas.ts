import { CONTRIBUTION_STATUSES } from '../../domain/contributions/contribution-status.ts';
import { amountText } from '../../domain/numbers/money.ts';
import { REVIEW_REASONS } from '../../domain/rules/contribution-rules.ts';
import type { ReviewedContribution } from '../../operations/contributions/list-reviews.ts';
import type { ContributionWorth } from '../../operations/contributions/read-contribution-worth.ts';
import { TIMELINE_KINDS, type TimelineEntry } from '../../operations/overview/contribution-timeline.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import { integerText, nullableDecimalText, nullableText, nullableTime, oneOf, shape, text, time } from '../schema-parts.ts';

const Status = oneOf(CONTRIBUTION_STATUSES, '`confirmed` and `failed` are final. Only `failed` allows points to be restored.');

export const ContributionSummary = shape('ContributionSummary', {
  partner_id: text('The id of the partner.'),
  transaction_id: text('The id of the contribution.'),
  partner_event_id: text("The partner's id of the contribution."),
  partner_order_ref: text("The partner's reference of the order."),
  status: Status,
  points: integerText('The points that the customer contributed.'),
  created_at: time('When the service recorded it.'),
  confirmed_at: nullableTime('When it became confirmed; `null` unless it is confirmed.'),
  failed_at: nullableTime('When it failed; `null` unless it failed.'),
});

export function contributionSummary({ partnerId, contribution }: ContributionRecord) {
  return {
    partner_id: partnerId,
    transaction_id: contribution.transactionId,
    partner_event_id: contribution.partnerEventId,
    partner_order_ref: contribution.partnerOrderRef,
    status: contribution.status,
    points: contribution.points,
    created_at: contribution.createdAt,
    confirmed_at: contribution.confirmedAt,
    failed_at: contribution.failedAt,
  };
}

/** In a list over partners. */
export const NamedContribution = shape('NamedContribution', {
  ...ContributionSummary.properties,
  partner_name: text('The name of the partner.'),
});

export function namedContribution(record: ContributionRecord, names: ReadonlyMap<string, string>) {
  return { ...contributionSummary(record), partner_name: names.get(record.partnerId) ?? record.partnerId };
}

export const ContributionBody = shape('Contribution', {
  ...ContributionSummary.properties,
  opaque_customer_ref: nullableText('The opaque reference of the customer; `null` without one.'),
  contribution_rule_version: text('The version of the contribution rule that was applied.'),
  point_conversion_version: text('The version of the point conversion that was applied.'),
  tree_cost_version: text('The version of the tree cost that was applied.'),
  summary_en: text('What the contribution is expected to support, in English.'),
  summary_ar: text('What the contribution is expected to support, in Arabic.'),
  idempotency_key: text('The `Idempotency-Key` of its request.'),
  correlation_id: nullableText('The correlation id of its request; `null` for a contribution that two operators recorded.'),
  association: oneOf(['not_requested', 'associated', 'rejected'], 'What became of the link to an estimate.'),
  calculation_id: nullableText('The estimate that it is linked to, or that its request named; `null` without one.'),
  rejection_code: nullableText('Why the estimate was not linked; `null` unless it was rejected.'),
  amount: nullableDecimalText(
    'What its points are worth, exact, without adjustments; `null` where the version that applied has no value in the currency of the partner.',
  ),
  currency: nullableText('The currency of the amount; `null` without one.'),
});

export function contributionToWire(record: ContributionRecord, { amount, currency }: ContributionWorth) {
  const { contribution, link } = record;
  const { summaryEn, summaryAr } = contribution.expectedEnvironmentalSupport;
  return {
    ...contributionSummary(record),
    opaque_customer_ref: contribution.opaqueCustomerRef,
    contribution_rule_version: contribution.contributionRuleVersion,
    point_conversion_version: contribution.pointConversionVersion,
    tree_cost_version: contribution.treeCostVersion,
    summary_en: summaryEn,
    summary_ar: summaryAr,
    idempotency_key: record.idempotencyKey,
    correlation_id: record.correlationId,
    association: link ? 'associated' : record.associationOutcome,
    calculation_id: link?.calculationId ?? record.calculationId,
    rejection_code: link ? null : record.rejectionCode,
    amount: amount === null ? null : amountText(amount),
    currency,
  };
}

export const TimelineEntryBody = shape('TimelineEntry', {
  at: time('When it happened.'),
  kind: oneOf(TIMELINE_KINDS, 'What happened.'),
  subject_id: text('The record that it is about, such as the event, the adjustment or the settlement.'),
  operator_id: nullableText('Who did it; `null` where no operator did.'),
  correlation_id: nullableText('The correlation id of the request or the command; `null` without one.'),
  facts: Type.Record(Type.String(), nullableText('A value.'), { description: 'What it says besides, as names to texts.' }),
});

export function timelineToWire({ at, kind, subjectId, operatorId, correlationId, facts }: TimelineEntry) {
  return { at, kind, subject_id: subjectId, operator_id: operatorId, correlation_id: correlationId, facts };
}

export const ReviewBody = shape('Review', {
  contribution: ContributionSummary,
  partner_name: text('The name of the partner.'),
  reason: oneOf(REVIEW_REASONS, 'Why an operator looks at it: the rule that made it pending.'),
  counted_on: nullableText('The day that it counts on for a daily cap, as `2026-11-20`; `null` where it was not counted.'),
  opened_at: time('When the review began.'),
  expires_at: time('When it fails by itself, unless an operator decides before.'),
  resolved_at: nullableTime('When it was decided; `null` while it waits.'),
  resolved_by: nullableText('Who decided; `null` while it waits.'),
  resolution_reason: nullableText('Why the review was decided so; `null` while it waits.'),
});

const MS_PER_HOUR = 3_600_000;

export function reviewToWire(
  { record, review }: ReviewedContribution,
  { names, reviewExpiryHours }: { readonly names: ReadonlyMap<string, string>; readonly reviewExpiryHours: number },
) {
  const openedAt = review?.openedAt ?? record.contribution.createdAt;
  return {
    contribution: contributionSummary(record),
    partner_name: names.get(record.partnerId) ?? record.partnerId,
    reason: review?.reason,
    counted_on: review?.countedOn ?? null,
    opened_at: openedAt,
    expires_at: new Date(openedAt.getTime() + reviewExpiryHours * MS_PER_HOUR),
    resolved_at: review?.resolvedAt ?? null,
    resolved_by: review?.resolvedBy ?? null,
    resolution_reason: review?.note ?? null,
  };
}
