import type { Contribution } from '../contributions/contribution.ts';
import type { SettlementLine } from './settlement-line.ts';

/** What a line repeats of its contribution, as the record has it now. */
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
  /** Of the linked estimate, whenever it was linked. */
  readonly calculationId: string | null;
  /** Of the confirmation itself. */
  readonly associationOutcome: string;
}

export type RecordedValue = string | bigint | Date | null;

/** A value that was written once, and is another one now. */
export interface ValueDifference {
  readonly field: string;
  readonly now: RecordedValue;
  readonly written: RecordedValue;
}

/**
 * Where a contribution is no longer what its line says. What is settled was confirmed, and nothing of it changes afterwards but one
 * thing: an estimate may be linked with it.
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
    // With a link the line says `associated`, however the link came about.
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
 * Texts in quotation marks: `250`, `"x"`, `null`, `"2026-11-01T00:00:00.000Z"`. Whoever edits a database may write anything: what a
 * terminal would obey is escaped.
 */
export function formatValue(value: RecordedValue): string {
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value).replace(/\p{C}/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}
