import { ACKNOWLEDGEMENT_STATUSES, SETTLEMENT_STATUSES } from '../../domain/settlements/settlement.ts';
import { LINE_TYPES, type SettlementLine } from '../../domain/settlements/settlement-line.ts';
import type { SettlementView } from '../../wire/settlement-to-wire.ts';
import { settlementLineToWire, settlementToWire } from '../../wire/settlement-to-wire.ts';
import {
  count,
  flag,
  integerText,
  listOf,
  nullableDecimalText,
  nullableShape,
  nullableText,
  nullableTime,
  oneOf,
  shape,
  text,
  time,
} from '../schema-parts.ts';

const VersionTotals = shape('VersionTotals', {
  contribution_rule_version: text('The version of the contribution rule.'),
  point_conversion_version: text('The version of the point conversion.'),
  tree_cost_version: text('The version of the tree cost.'),
  count: integerText('How many contributions of these versions it has; adjustments are not counted.'),
  points: integerText('The points of these contributions and of adjustments of these versions.'),
  amount: nullableDecimalText('Their amount, exact; `null` without a conversion.'),
});

export const AcknowledgementBody = shape('Acknowledgement', {
  status: oneOf(ACKNOWLEDGEMENT_STATUSES, 'How the partner answered.'),
  acknowledged_at: nullableTime('When the partner answered; `null` before.'),
  reference: nullableText('What the partner names it by; `null` without one.'),
  note: nullableText('What the partner says to it; `null` without a note.'),
});

export const SettlementBody = shape('Settlement', {
  partner_id: text('The id of the partner.'),
  settlement_id: text('The id of the settlement.'),
  sequence: integerText('The number of the settlement among those of the partner, from 1.'),
  status: oneOf(SETTLEMENT_STATUSES, '`closed` is final.'),
  environment: oneOf(['sandbox', 'production'], 'The environment of the service.'),
  period_start: time('The beginning of the period.'),
  period_end: time('The end of the period, itself not part of it.'),
  period_timezone: text('The time zone of the period.'),
  period_label: text('The name of the period, such as `2026-11`.'),
  contribution_count: integerText('How many contributions it has.'),
  adjustment_count: integerText('How many adjustments it has.'),
  gross_points: integerText('The points of its contributions.'),
  adjustment_points: integerText('The points of its adjustments, with their sign.'),
  carried_in_points: integerText('The points that the settlement before carried over.'),
  net_points: integerText('Gross points and adjustments of the period.'),
  payable_points: integerText('What the partner owes in points.'),
  carried_out_points: integerText('The points that are carried into the next settlement.'),
  carried_in_amount: nullableDecimalText('The same as an amount; `null` without a conversion.'),
  net_amount: nullableDecimalText('The amount of the period; `null` without a conversion.'),
  payable_amount: nullableDecimalText('What the partner owes; `null` without a conversion.'),
  carried_out_amount: nullableDecimalText('The amount that is carried over; `null` without a conversion.'),
  amount: nullableDecimalText('The whole amount, with what was carried; `null` without a conversion.'),
  currency: nullableText('The currency of the amounts, by ISO 4217; `null` without a conversion.'),
  totals_by_version: listOf(VersionTotals, 'The totals of each set of versions.'),
  created_at: time('When it was opened.'),
  closed_at: nullableTime('When it was closed; `null` while it is open.'),
  as_of: nullableTime('The moment of the totals of an open settlement; `null` once it is closed.'),
  statement: nullableShape(
    shape('StatementState', {
      csv_sha256: text('SHA-256 of the statement.'),
      line_count: count('How many lines it has.'),
      generated_at: time('When it was made.'),
      previous_csv_sha256: nullableText('SHA-256 of the statement before; `null` for the first.'),
    }),
    'The statement of the settlement; `null` while it is open.',
  ),
  acknowledgement: AcknowledgementBody,
  is_dispute_answered: flag('Whether the partner disputes it, and an operator recorded what the partner was told.'),
});

interface Beside {
  readonly environment: 'sandbox' | 'production';
  readonly isDisputeAnswered: boolean;
}

export function showSettlement(shown: SettlementView, { environment, isDisputeAnswered }: Beside) {
  const { partnerId: partner_id } = shown.settlement;
  return { partner_id, ...settlementToWire(shown, environment), is_dispute_answered: isDisputeAnswered };
}

export const LineBody = shape('SettlementLine', {
  line_no: count('The number of the line, from 1.'),
  line_type: oneOf(LINE_TYPES, 'What it settles.'),
  transaction_id: nullableText('The contribution; `null` without one.'),
  adjustment_id: nullableText('The adjustment; `null` without one.'),
  partner_event_id: nullableText("The partner's id of the contribution."),
  partner_order_ref: nullableText("The partner's reference of the order."),
  points: integerText('The points of the line, with their sign.'),
  amount: nullableDecimalText('The amount of the line, exact; `null` without a conversion.'),
  currency: nullableText('The currency of the amount.'),
  confirmed_at_utc: nullableTime('When the contribution was confirmed.'),
  posted_at_utc: nullableTime('When the adjustment was posted.'),
  contribution_rule_version: nullableText('The version of the contribution rule.'),
  point_conversion_version: nullableText('The version of the point conversion.'),
  tree_cost_version: nullableText('The version of the tree cost.'),
  calculation_id: nullableText('The estimate of the contribution.'),
  association_status: nullableText('What became of the link to an estimate.'),
  reason_code: nullableText('The reason of the adjustment, or `late`.'),
  original_settlement_id: nullableText(
    'The settlement that has the contribution of an adjustment, or from which a negative total was carried forward; `null` for a contribution.',
  ),
});

export const lineToWire = (line: SettlementLine) => settlementLineToWire(line);
