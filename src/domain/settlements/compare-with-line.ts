import type { Contribution } from '../contributions/contribution.ts';
import type { SettlementLine } from './settlement-line.ts';

/** The values of a line that repeat its contribution, as the record has them now. */
export interface SettledContribution
  extends Pick<
    Contribution,
    | 'transactionId'
    | 'status'
    | 'partnerEventId'
    | 'partnerOrderRef'
    | 'points'
    | 'confirmedAt'
    | 'contributionRuleVersion'
    | 'pointConversionVersion'
    | 'treeCostVersion'
  > {
  /** The linked estimate, whenever it was linked; `null` without one. */
  readonly calculationId: string | null;
  /** The association outcome of the confirmation, even when an estimate was linked later. */
  readonly associationOutcome: string;
}

export type RecordedValue = string | bigint | Date | null;

/** A value that changed after it was written. */
export interface ValueDifference {
  readonly field: string;
  readonly now: RecordedValue;
  readonly written: RecordedValue;
}

/**
 * How a contribution differs from its line. A settled contribution was confirmed, and only one thing about it can change afterwards: an
 * estimate may be linked with it.
 */
export function compareWithLine(contribution: SettledContribution, line: SettlementLine): ValueDifference[] {
  const pairs: [field: string, now: RecordedValue, written: RecordedValue][] = [
    ['status', contribution.status, 'confirmed'],
    ['partner_event_id', contribution.partnerEventId, line.partnerEventId],
    ['partner_order_ref', contribution.partnerOrderRef, line.partnerOrderRef],
    ['points', contribution.points, line.points],
    ['confirmed_at', contribution.confirmedAt, line.confirmedAt],
    ['contribution_rule_version', contribution.contributionRuleVersion, line.contributionRuleVersion],
    ['point_conversion_version', contribution.pointConversionVersion, line.pointConversionVersion],
    ['tree_cost_version', contribution.treeCostVersion, line.treeCostVersion],
    // With a link the line says `associated`, however the link was made.
    [
      'association_outcome',
      contribution.associationOutcome,
      line.calculationId === null ? line.associationStatus : contribution.associationOutcome,
    ],
    ['calculation_id', line.calculationId === null ? null : contribution.calculationId, line.calculationId],
  ];
  return pairs
    .filter(([, now, written]) => formatValue(now) !== formatValue(written))
    .map(([field, now, written]) => ({ field, now, written }));
}

/**
 * Values as JSON: `250`, `"x"`, `null`, `"2026-11-01T00:00:00.000Z"`. A person who edits the database may write anything, so control
 * characters are escaped.
 */
export function formatValue(value: RecordedValue): string {
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value).replace(/\p{C}/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
