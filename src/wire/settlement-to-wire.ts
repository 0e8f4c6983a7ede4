import type { Environment } from '../domain/access/api-key.ts';
import { amountText } from '../domain/numbers/money.ts';
import { amountFigures, pointFigures } from '../domain/settlements/payable-and-carried.ts';
import type { SettlementLine } from '../domain/settlements/settlement-line.ts';
import { currencyOfAmounts, type SettlementTotals, settlementAmount } from '../domain/settlements/settlement-totals.ts';
import type { Settlement } from '../store/settlements/settlement.ts';

/** A settlement with its totals: its own when it is closed, otherwise those of a moment. */
export interface SettlementView {
  readonly settlement: Settlement;
  readonly totals: SettlementTotals;
  readonly currency: string | null;
  /** When the totals of an open settlement were computed; `null` once it is closed. */
  readonly asOf: Date | null;
}

/** Without the environment, which is not known when an event is written. */
export function settlementToData({ settlement, totals, currency, asOf }: SettlementView) {
  const { period, closedAt, acknowledgement } = settlement;
  return {
    settlement_id: settlement.settlementId,
    sequence: settlement.sequence,
    status: settlement.status,
    period_start: period.startsAt.toISOString(),
    period_end: period.endsAt.toISOString(),
    period_timezone: period.timeZone,
    period_label: period.label,
    contribution_count: totals.contributionCount,
    adjustment_count: totals.adjustmentCount,
    gross_points: totals.grossPoints,
    adjustment_points: totals.adjustmentPoints,
    ...figuresToData(totals, currency),
    amount: settlementAmount(totals, currency),
    currency: currencyOfAmounts(totals, currency),
    totals_by_version: totals.byVersion.map((each) => ({
      contribution_rule_version: each.contributionRuleVersion,
      point_conversion_version: each.pointConversionVersion,
      tree_cost_version: each.treeCostVersion,
      count: each.count,
      points: each.points,
      amount: each.amount === null ? null : amountText(each.amount),
    })),
    created_at: settlement.createdAt.toISOString(),
    closed_at: closedAt?.toISOString() ?? null,
    as_of: asOf?.toISOString() ?? null,
    statement: statementToData(settlement),
    acknowledgement: {
      status: acknowledgement.status,
      acknowledged_at: acknowledgement.acknowledgedAt?.toISOString() ?? null,
      reference: acknowledgement.reference,
      note: acknowledgement.note,
    },
  };
}

/** Four of points and four of `amount`. @see docs/spec/decisions.md#9-self-service-and-pages. */
export function figuresToData(totals: SettlementTotals, currency: string | null) {
  const [points, amounts] = [pointFigures(totals), amountFigures(totals, currency)];
  return {
    carried_in_points: points.carriedIn,
    net_points: points.net,
    payable_points: points.payable,
    carried_out_points: points.carriedOut,
    carried_in_amount: amounts?.carriedIn ?? null,
    net_amount: amounts?.net ?? null,
    payable_amount: amounts?.payable ?? null,
    carried_out_amount: amounts?.carriedOut ?? null,
  };
}

function statementToData({ statement, closedAt }: Settlement) {
  if (!statement || !closedAt) return null;
  return {
    csv_sha256: statement.csvSha256,
    line_count: statement.lineCount,
    generated_at: closedAt.toISOString(),
    previous_csv_sha256: statement.previousCsvSha256,
  };
}

type SettlementData = ReturnType<typeof settlementToData>;

export function settlementToWire(shown: SettlementView, environment: Environment) {
  return withEnvironment(settlementToData(shown), environment);
}

/** Inserts the environment at its place among the members. */
export function withEnvironment<Data extends Pick<SettlementData, 'settlement_id' | 'sequence' | 'status'>>(
  { settlement_id, sequence, status, ...rest }: Data,
  environment: Environment,
) {
  return { settlement_id, sequence, status, environment, ...rest };
}

/** The columns of the statement, `null` when they are empty there. */
export function settlementLineToWire(line: SettlementLine) {
  return {
    line_no: line.lineNo,
    line_type: line.lineType,
    transaction_id: line.transactionId,
    adjustment_id: line.adjustmentId,
    partner_event_id: line.partnerEventId,
    partner_order_ref: line.partnerOrderRef,
    points: line.points,
    amount: line.amount === null ? null : amountText(line.amount),
    currency: line.currency,
    confirmed_at_utc: line.confirmedAt?.toISOString() ?? null,
    posted_at_utc: line.postedAt?.toISOString() ?? null,
    contribution_rule_version: line.contributionRuleVersion,
    point_conversion_version: line.pointConversionVersion,
    tree_cost_version: line.treeCostVersion,
    calculation_id: line.calculationId,
    association_status: line.associationStatus,
    reason_code: line.reasonCode,
    original_settlement_id: line.originalSettlementId,
  };
}
