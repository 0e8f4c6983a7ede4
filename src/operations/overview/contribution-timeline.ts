import { idAt } from '../../domain/identifiers.ts';
import { amountText } from '../../domain/numbers/money.ts';
import { type Adjustment, listAdjustmentsOfContribution } from '../../store/adjustments/adjustment.ts';
import { listAuditEntries } from '../../store/audit/audit-entry.ts';
import type { ContributionRecord } from '../../store/contributions/contribution.ts';
import { findContributionReview } from '../../store/contributions/contribution-review.ts';
import type { Queryable } from '../../store/database.ts';
import { listEventsOfSubject } from '../../store/events/event.ts';
import { listImpactBatchChanges } from '../../store/impact/impact-batch.ts';
import { findLineOfContribution, findPooling } from '../../store/impact/impact-batch-settlement.ts';
import { findOpenSettlement, findSettlement } from '../../store/settlements/settlement.ts';
import { listDeliveryAttempts } from '../../store/webhooks/attempt-log.ts';
import { type LoggedDelivery, listDeliveries } from '../../store/webhooks/delivery-log.ts';

export const TIMELINE_KINDS = [
  'recorded',
  'review_opened',
  'review_resolved',
  'confirmed',
  'failed',
  'associated',
  'event',
  'delivery_attempt',
  'settled',
  'pooled',
  'batch_changed',
  'adjustment_drafted',
  'adjustment_approved',
  'adjustment_rejected',
  'adjustment_posted',
  'audited',
] as const;

export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** One thing that happened to a contribution. */
export interface TimelineEntry {
  readonly at: Date;
  readonly kind: TimelineKind;
  /** The record that it is about, such as an event or an adjustment. */
  readonly subjectId: string;
  readonly operatorId: string | null;
  readonly correlationId: string | null;
  /** What it says besides, as names to texts. */
  readonly facts: Readonly<Record<string, string | null>>;
}

/** How far the time in an event's id is from the time of its change, at most: an id is made during the request. */
const ASIDE_MS = 15_000;
const EVENTS_MAX = 10;
const DELIVERIES_MAX = 20;
const ENTRIES_MAX = 100;
/** The latest changes of a batch are shown. A batch usually has about ten until it is verified. */
const CHANGES_MAX = 50;

/** All that happened to a contribution, in the order of time. */
export async function readTimeline(db: Queryable, record: ContributionRecord): Promise<TimelineEntry[]> {
  const { partnerId, contribution } = record;
  const { transactionId } = contribution;
  const adjustments = await listAdjustmentsOfContribution(db, partnerId, transactionId);
  const postedAt = adjustments.flatMap((adjustment) => adjustment.postedAt ?? []);
  const [review, events, line, entries, postedIn] = await Promise.all([
    findContributionReview(db, { partnerId, transactionId }),
    readEvents(db, record, postedAt),
    findLineOfContribution(db, partnerId, transactionId),
    listAuditEntries(db, { subjectId: transactionId, limit: ENTRIES_MAX }),
    readPostedIn(db, partnerId, adjustments),
  ]);
  const settlementId = line?.settlementId ?? null;
  const settlement = settlementId === null ? undefined : await findSettlement(db, partnerId, settlementId);
  const entry = (at: Date | null, kind: TimelineKind, more: Partial<Told> = {}) =>
    at ? [entryOf(at, kind, { subjectId: transactionId, ...more })] : [];
  const timeline = [
    ...entry(contribution.createdAt, 'recorded', { correlationId: record.correlationId, facts: factsOf(record) }),
    ...entry(review?.openedAt ?? null, 'review_opened', { facts: { reason: review?.reason ?? null } }),
    ...entry(review?.resolvedAt ?? null, 'review_resolved', {
      operatorId: review?.resolvedBy ?? null,
      facts: { reason: review?.note ?? null },
    }),
    ...entry(contribution.confirmedAt, 'confirmed'),
    ...entry(contribution.failedAt, 'failed'),
    ...entry(record.link?.associatedAt ?? null, 'associated', { subjectId: record.link?.calculationId ?? transactionId }),
    ...events,
    ...adjustments.flatMap((adjustment) => {
      const { adjustmentId: subjectId } = adjustment;
      return [
        ...entry(adjustment.draftedAt, 'adjustment_drafted', {
          subjectId,
          operatorId: adjustment.draftedBy,
          facts: changeOf(adjustment),
        }),
        ...entry(adjustment.approvedAt, 'adjustment_approved', { subjectId, operatorId: adjustment.approvedBy }),
        ...entry(adjustment.rejectedAt, 'adjustment_rejected', {
          subjectId,
          operatorId: adjustment.rejectedBy,
          facts: { reason: adjustment.note },
        }),
        ...entry(adjustment.postedAt, 'adjustment_posted', {
          subjectId,
          operatorId: adjustment.postedBy,
          facts: postedIn.get(subjectId) ?? {},
        }),
      ];
    }),
    ...entry(settlement?.closedAt ?? null, 'settled', {
      subjectId: settlementId ?? transactionId,
      facts: { period_label: settlement?.period.label ?? null },
    }),
    ...(settlement ? await readBatch(db, partnerId, settlement.settlementId) : []),
    ...entries.flatMap(({ recordedAt, action, operatorId, correlationId }) =>
      entry(recordedAt, 'audited', { operatorId, correlationId, facts: { action } }),
    ),
  ];
  return timeline.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

type Told = Omit<TimelineEntry, 'at' | 'kind'>;

function entryOf(at: Date, kind: TimelineKind, told: Pick<Told, 'subjectId'> & Partial<Told>): TimelineEntry {
  return { at, kind, operatorId: null, correlationId: null, facts: {}, ...told };
}

function factsOf({ contribution, calculationId, associationOutcome, rejectionCode, idempotencyKey }: ContributionRecord) {
  return {
    contribution_rule_version: contribution.contributionRuleVersion,
    point_conversion_version: contribution.pointConversionVersion,
    tree_cost_version: contribution.treeCostVersion,
    idempotency_key: idempotencyKey,
    calculation_id: calculationId,
    association: associationOutcome,
    rejection_code: rejectionCode,
  };
}

function changeOf({ pointsDelta, amountDelta, reasonCode, reasonEn, reasonAr }: Adjustment): TimelineEntry['facts'] {
  return {
    points_delta: String(pointsDelta),
    amount_delta: amountDelta === null ? null : amountText(amountDelta),
    reason_code: reasonCode,
    reason: reasonEn,
    reason_ar: reasonAr,
  };
}

/** The settlement of each adjustment that is posted: until it closes, the open one, in whose period it was posted. */
async function readPostedIn(
  db: Queryable,
  partnerId: string,
  adjustments: readonly Adjustment[],
): Promise<ReadonlyMap<string, TimelineEntry['facts']>> {
  const posted = adjustments.filter(({ postedAt }) => postedAt !== null);
  const ids = new Set(posted.flatMap(({ settlementId }) => settlementId ?? []));
  const [open, ...closed] = await Promise.all([
    posted.some(({ settlementId }) => settlementId === null) ? findOpenSettlement(db, partnerId) : undefined,
    ...[...ids].map((settlementId) => findSettlement(db, partnerId, settlementId)),
  ]);
  const found = new Map<string, TimelineEntry['facts']>();
  for (const { adjustmentId, postedAt, settlementId } of posted) {
    const settlement = settlementId === null ? open : closed.find((each) => each?.settlementId === settlementId);
    if (settlement && postedAt && (settlementId !== null || postedAt < settlement.period.endsAt))
      found.set(adjustmentId, { settlement_id: settlement.settlementId, period_label: settlement.period.label });
  }
  return found;
}

/** How the batch of a settlement came to it, and what became of that. */
async function readBatch(db: Queryable, partnerId: string, settlementId: string): Promise<TimelineEntry[]> {
  const pooling = await findPooling(db, partnerId, settlementId);
  if (!pooling) return [];
  const { impactBatchId: subjectId, addedAt } = pooling;
  const changes = await listImpactBatchChanges(db, subjectId);
  return [
    entryOf(addedAt, 'pooled', { subjectId }),
    ...changes
      .filter(({ occurredAt }) => occurredAt >= addedAt)
      .slice(-CHANGES_MAX)
      .map(({ occurredAt, changeType, status, reason, operatorId }) => {
        const facts = { change: changeType, environmental_status: status, reason };
        return entryOf(occurredAt, 'batch_changed', { subjectId, operatorId, facts });
      }),
  ];
}

/**
 * Reads the events of each moment at which the contribution may have written one. In an earlier release the event of a decision has an id
 * of the time when the contribution was recorded.
 */
async function readEvents(
  db: Queryable,
  { partnerId, contribution, link }: ContributionRecord,
  postedAt: readonly Date[],
): Promise<TimelineEntry[]> {
  const { createdAt, confirmedAt, failedAt } = contribution;
  const moments = [createdAt, confirmedAt, failedAt, link?.associatedAt ?? null, ...postedAt].flatMap((at) => at ?? []);
  const { transactionId: subjectId } = contribution;
  const found = await Promise.all(
    moments.map((at) => {
      const [fromId, toId] = [idAt('evt', Math.max(0, at.getTime() - ASIDE_MS)), idAt('evt', at.getTime() + ASIDE_MS)];
      return listEventsOfSubject(db, partnerId, { subjectId, fromId, toId, limit: EVENTS_MAX });
    }),
  );
  const events = new Map(found.flat().map((event) => [event.eventId, event]));
  const entries: TimelineEntry[] = [];
  for (const { eventId, eventType, occurredAt, correlationId, sequence } of events.values()) {
    const deliveries = await listDeliveries(db, partnerId, { eventId, limit: DELIVERIES_MAX });
    const facts = { event_type: eventType, sequence: String(sequence), deliveries: String(deliveries.length) };
    entries.push(entryOf(occurredAt, 'event', { subjectId: eventId, correlationId, facts }));
    for (const delivery of deliveries) entries.push(...(await readAttempts(db, partnerId, delivery)));
  }
  return entries;
}

async function readAttempts(
  db: Queryable,
  partnerId: string,
  { deliveryId, endpointId, eventType }: Pick<LoggedDelivery, 'deliveryId' | 'endpointId' | 'eventType'>,
): Promise<TimelineEntry[]> {
  const attempts = await listDeliveryAttempts(db, partnerId, deliveryId);
  return attempts.map(({ startedAt, number, status, errorClass, milliseconds }) => {
    const facts = {
      event_type: eventType,
      endpoint_id: endpointId,
      attempt: String(number),
      milliseconds: String(milliseconds),
      status: status === null ? null : String(status),
      error_class: errorClass,
    };
    return entryOf(startedAt, 'delivery_attempt', { subjectId: deliveryId, facts });
  });
}
