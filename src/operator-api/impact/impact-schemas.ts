import { ENVIRONMENTAL_CHANGE_TYPES, ENVIRONMENTAL_STATUSES } from '../../domain/impact/environmental-status.ts';
import type { Evidence } from '../../domain/impact/evidence.ts';
import type { ImpactBatch } from '../../domain/impact/impact-batch.ts';
import type { PooledWorth } from '../../domain/impact/pooled-worth.ts';
import type { Project } from '../../domain/impact/project.ts';
import { findMinorUnits } from '../../domain/numbers/currency.ts';
import { amountText } from '../../domain/numbers/money.ts';
import { ACKNOWLEDGEMENT_STATUSES } from '../../domain/settlements/settlement.ts';
import type { WorthOfSettlement } from '../../operations/impact/read-pooled-worth.ts';
import { Type } from '../../partner-api/schema-type.ts';
import type { ImpactBatchChange } from '../../store/impact/impact-batch.ts';
import {
  count,
  decimalText,
  integerText,
  listOf,
  minorUnits,
  nullableDecimalText,
  nullableIntegerText,
  nullableShape,
  nullableText,
  nullableTime,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';

export const ProjectBody = shape('Project', {
  project_id: text('The id of the project.'),
  name_en: text('The English name of the project.'),
  name_ar: text('The Arabic name of the project.'),
  country: text('The country of the project, by ISO 3166-1.'),
  created_at: time('When it was created.'),
});

export function projectToWire({ projectId, nameEn, nameAr, country, createdAt }: Project) {
  return { project_id: projectId, name_en: nameEn, name_ar: nameAr, country, created_at: createdAt };
}

export const expectedChangeNo = Type.Optional(
  integerText(
    'The number of the latest change that the operator has seen, `0` before the first: after another change it is refused. An addition of settlements has no number.',
  ),
);

/** @param text What a request states as an int64. */
export function readExpected(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

const Status = oneOf(ENVIRONMENTAL_STATUSES, 'How far the planting has come.');

export const BatchBody = shape('ImpactBatch', {
  impact_batch_id: text('The id of the batch.'),
  name: text('The name of the batch, for operators; partners do not get it.'),
  status: Status,
  status_at: time('When the status last changed.'),
  quantity: integerText('Whole trees, as an operator stated them.'),
  project_id: nullableText('The project that plants them; `null` until it is allocated.'),
  delayed_at: nullableTime('When a delay was recorded; `null` without one.'),
  expected_delivery_period: nullableText('When delivery is expected since the delay, such as `2027-Q2`; `null` without one.'),
  delivered_by: nullableText('The operator who recorded the delivery; `null` before.'),
  verified_by: nullableText('The operator who verified it; `null` before.'),
  created_at: time('When it was created.'),
});

export function batchToWire(batch: ImpactBatch) {
  return {
    impact_batch_id: batch.impactBatchId,
    name: batch.name,
    status: batch.status,
    status_at: batch.statusAt,
    quantity: batch.quantity,
    project_id: batch.projectId,
    delayed_at: batch.delayedAt,
    expected_delivery_period: batch.expectedDeliveryPeriod,
    delivered_by: batch.deliveredBy,
    verified_by: batch.verifiedBy,
    created_at: batch.createdAt,
  };
}

const EvidenceBody = shape('Evidence', {
  evidence_no: count('The number of the evidence in the batch, from 1.'),
  type: text('What it is, such as `photo`.'),
  url: text('The address at which partners and their customers find the evidence.'),
  file_name: text('The name of the file.'),
  byte_count: integerText('How many bytes it has.'),
  sha256: text('SHA-256 of its bytes, in hexadecimal digits.'),
  captured_at: time('When it was captured.'),
  added_by: text('The operator who added it.'),
  added_at: time('When it was added.'),
});

export function evidenceToWire(evidence: Evidence) {
  const { evidenceNo, type, url, fileName, byteCount, sha256, capturedAt, addedBy, addedAt } = evidence;
  return {
    evidence_no: evidenceNo,
    type,
    url,
    file_name: fileName,
    byte_count: byteCount,
    sha256,
    captured_at: capturedAt,
    added_by: addedBy,
    added_at: addedAt,
  };
}

const ChangeBody = shape('ImpactBatchChange', {
  change_no: count('The number of the change, from 1.'),
  change_type: oneOf(ENVIRONMENTAL_CHANGE_TYPES, 'What was recorded.'),
  previous_status: oneOf(ENVIRONMENTAL_STATUSES, 'The status before it.'),
  status: Status,
  project_id: nullableText('The project since then; `null` without one.'),
  quantity: integerText('The trees since then.'),
  expected_delivery_period: nullableText('The expected delivery since then; `null` without a delay.'),
  reason: nullableText('The reason of the change; `null` without one.'),
  operator_id: text('Who recorded it.'),
  occurred_at: time('When it was recorded.'),
});

export function changeToWire(change: ImpactBatchChange) {
  return {
    change_no: change.changeNo,
    change_type: change.changeType,
    previous_status: change.previousStatus,
    status: change.status,
    project_id: change.projectId,
    quantity: change.quantity,
    expected_delivery_period: change.expectedDeliveryPeriod,
    reason: change.reason,
    operator_id: change.operatorId,
    occurred_at: change.occurredAt,
  };
}

const worthMembers = {
  currency: nullableText('The currency of the amount, by ISO 4217; `null` for points without a value.'),
  minor_units: minorUnits,
  points: integerText('Points of contributions and adjustments.'),
  amount: nullableDecimalText('What the partner pays for them: the payable amount of its settlement; `null` without a value.'),
  trees: nullableIntegerText(
    'Whole trees that the amount pays at the costs of its contributions; `null` where a part of it has no cost. An orientation.',
  ),
  tree_costs: listOf(
    decimalText('The cost of a tree, exact.'),
    'What one tree costs, ascending: several when contributions were recorded at several costs.',
  ),
  tree_shares: listOf(
    shape('TreeShare', {
      cost: decimalText('The cost of a tree, exact.'),
      amount: decimalText('The part of the amount that pays trees at this cost, exact, before rounding.'),
    }),
    'The amount by the costs of a tree. Trees are rounded down once for each cost, over all settlements that are added up.',
  ),
};

const worthToWire = ({ currency, points, amount, trees, treeShares }: PooledWorth) => ({
  currency,
  minor_units: currency === null ? null : (findMinorUnits(currency) ?? null),
  points,
  amount: amount === null ? null : amountText(amount),
  trees,
  tree_costs: treeShares.map(({ cost }) => amountText(cost)),
  tree_shares: treeShares.map((share) => ({ cost: amountText(share.cost), amount: amountText(share.amount) })),
});

export const BatchDetail = shape('ImpactBatchDetail', {
  batch: BatchBody,
  project: nullableShape(ProjectBody, 'The project; `null` until the batch is allocated.'),
  partner_count: count('How many partners have settlements in the batch.'),
  settlement_count: count('How many settlements it has.'),
  contribution_count: integerText('How many contributions they have.'),
  worth: listOf(shape('Worth', worthMembers), 'What its settlements are worth, by currency.'),
  evidence: listOf(EvidenceBody, 'The evidence of the batch.'),
  changes: listOf(ChangeBody, 'What was recorded, the earliest first.'),
});

export const worthsToWire = (worths: readonly PooledWorth[]) => worths.map(worthToWire);

export const PoolableBody = shape('PoolableSettlement', {
  partner_id: text('The id of the partner.'),
  partner_name: nullableText('The name of the partner.'),
  settlement_id: text('The id of the settlement.'),
  period_label: text('The period.'),
  period_start: time('The beginning of the period.'),
  period_end: time('The end of the period, itself not part of it.'),
  period_timezone: text('The time zone of the period.'),
  closed_at: time('When it was closed.'),
  contribution_count: integerText('How many contributions it has.'),
  acknowledgement: oneOf(ACKNOWLEDGEMENT_STATUSES, 'What the partner answered to the settlement.'),
  ...worthMembers,
});

export function poolableToWire({ settlement, worth }: WorthOfSettlement, names: ReadonlyMap<string, string>) {
  return {
    partner_id: settlement.partnerId,
    partner_name: names.get(settlement.partnerId) ?? null,
    settlement_id: settlement.settlementId,
    period_label: settlement.periodLabel,
    closed_at: settlement.closedAt,
    period_start: settlement.periodStart,
    period_end: settlement.periodEnd,
    period_timezone: settlement.timeZone,
    contribution_count: settlement.contributionCount,
    acknowledgement: settlement.acknowledgement ?? 'pending',
    ...worthToWire(worth),
  };
}
