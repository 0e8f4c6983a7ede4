import { amountText } from '../../domain/numbers/money.ts';
import { amountFigures, pointFigures } from '../../domain/settlements/payable-and-carried.ts';
import type { AdjustmentPreview, PreviewedSettlement } from '../../operations/adjustments/preview-adjustment.ts';
import type { Adjustment } from '../../store/adjustments/adjustment.ts';
import { adjustmentToWire } from '../../wire/adjustment-to-wire.ts';
import { figuresToData } from '../../wire/settlement-to-wire.ts';
import { formatTime, printFields, printJson, type Row } from '../terminal/output.ts';

/** How the command prints an adjustment: its fields, and the points and amounts before it and after it. */
export function printAdjustment(
  adjustment: Adjustment,
  preview: AdjustmentPreview | undefined,
  asJson: boolean | undefined,
): void {
  if (asJson) return void printJson({ ...adjustmentToJson(adjustment), ...(preview && { effect: previewToJson(preview) }) });
  printFields({
    ...adjustmentToRow(adjustment),
    posted: formatTime(adjustment.postedAt),
    settlement: adjustment.settlementId ?? '-',
    ...(preview && previewToRow(preview)),
    'english reason': adjustment.reasonEn,
    'arabic reason': adjustment.reasonAr,
    'reason to exceed worth': adjustment.beyondWorthReason ?? '-',
    'reversal of': adjustment.reversalOf ?? '-',
    'drafted by': adjustment.draftedBy,
    'approved by': adjustment.approvedBy ?? '-',
    'rejected by': adjustment.rejectedBy ?? '-',
    note: adjustment.note ?? '-',
    'posted by': adjustment.postedBy ?? '-',
  });
}

export function adjustmentToRow(adjustment: Adjustment): Row {
  const { pointsDelta, amountDelta } = adjustment;
  return {
    adjustment: adjustment.adjustmentId,
    status: adjustment.status,
    contribution: adjustment.transactionId,
    points: String(pointsDelta),
    amount: amountDelta === null ? '-' : amountText(amountDelta),
    reason: adjustment.reasonCode,
  };
}

export function adjustmentToJson(adjustment: Adjustment): object {
  return {
    ...adjustmentToWire(adjustment),
    status: adjustment.status,
    beyond_worth_reason: adjustment.beyondWorthReason,
    drafted_by: adjustment.draftedBy,
    drafted_at: adjustment.draftedAt,
    approved_by: adjustment.approvedBy,
    approved_at: adjustment.approvedAt,
    rejected_by: adjustment.rejectedBy,
    rejected_at: adjustment.rejectedAt,
    note: adjustment.note,
    posted_by: adjustment.postedBy,
  };
}

/** `: 250 points settled, then 150; 12.5 SAR, then 7.5 SAR; payable on 2026-11 50.00 SAR, then 45.00 SAR`. */
export function describeChange({ effect, currency, settlement }: AdjustmentPreview): string {
  if (!effect) return '';
  const { settledPointsBefore, settledPointsAfter, settledAmountBefore, settledAmountAfter } = effect;
  const parts = [`${settledPointsBefore} points settled, then ${settledPointsAfter}`];
  if (settledAmountBefore !== null)
    parts.push(`${money(settledAmountBefore, currency)}, then ${money(settledAmountAfter, currency)}`);
  if (settlement?.totals) {
    const [before, after] = [settlement.totals.before, settlement.totals.after].map((totals) => {
      const amounts = amountFigures(totals, currency);
      return amounts === null ? `${pointFigures(totals).payable} points` : `${amounts.payable} ${currency}`;
    });
    parts.push(`payable on ${settlement.periodLabel} ${before}, then ${after}`);
  } else if (settlement) parts.push(`on the settlement ${settlement.periodLabel}`);
  return `: ${parts.join('; ')}`;
}

function previewToRow({ effect, currency, problems, settlement }: AdjustmentPreview): Row {
  if (!effect) return {};
  return {
    'settled points before': String(effect.settledPointsBefore),
    'settled points after': String(effect.settledPointsAfter),
    'settled amount before': money(effect.settledAmountBefore, currency),
    'settled amount after': money(effect.settledAmountAfter, currency),
    'highest worth': money(effect.settledAmountMax, currency),
    ...(settlement && settlementToRow(settlement, currency)),
    ...(problems.length > 0 && { 'cannot be posted': problems.map(({ message }) => message).join(' ') }),
  };
}

function settlementToRow({ settlementId, periodLabel, totals }: PreviewedSettlement, currency: string | null): Row {
  const where = { 'on settlement': settlementId ? `${periodLabel} (${settlementId})` : `${periodLabel}, which is not open yet` };
  if (!totals) return where;
  const [points, pointsAfter] = [pointFigures(totals.before), pointFigures(totals.after)];
  const [amounts, amountsAfter] = [amountFigures(totals.before, currency), amountFigures(totals.after, currency)];
  const both = (before: bigint | string | undefined, after: bigint | string | undefined) =>
    `${before ?? '-'}, with it ${after ?? '-'}`;
  return {
    ...where,
    'settlement net points': both(points.net, pointsAfter.net),
    'settlement payable points': both(points.payable, pointsAfter.payable),
    'settlement carried out points': both(points.carriedOut, pointsAfter.carriedOut),
    'settlement net amount': both(amounts?.net, amountsAfter?.net),
    'settlement payable amount': both(amounts?.payable, amountsAfter?.payable),
    'settlement carried out amount': both(amounts?.carriedOut, amountsAfter?.carriedOut),
  };
}

function previewToJson({ effect, currency, problems, settlement }: AdjustmentPreview): object | null {
  if (!effect) return null;
  const text = (amount: bigint | null) => (amount === null ? null : amountText(amount));
  return {
    settled_points_before: effect.settledPointsBefore,
    settled_points_after: effect.settledPointsAfter,
    settled_amount_before: text(effect.settledAmountBefore),
    settled_amount_after: text(effect.settledAmountAfter),
    settled_amount_max: text(effect.settledAmountMax),
    currency,
    problems,
    settlement: settlement && {
      settlement_id: settlement.settlementId,
      period_label: settlement.periodLabel,
      before: settlement.totals && figuresToData(settlement.totals.before, currency),
      after: settlement.totals && figuresToData(settlement.totals.after, currency),
    },
  };
}

function money(amount: bigint | null, currency: string | null): string {
  return amount === null ? '-' : `${amountText(amount)} ${currency}`;
}
