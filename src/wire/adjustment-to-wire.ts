import { amountText } from '../domain/numbers/money.ts';
import type { Adjustment } from '../store/adjustments/adjustment.ts';

/**
 * The member `data` of `impact.transaction.adjusted` for a posted adjustment, without the environment, which is not known when an event
 * is written.
 *
 * @see docs/spec/settlements.md#3-adjustment, Fields.
 */
export function adjustmentToData(adjustment: Adjustment) {
  return { change: 'adjustment', ...adjustmentToWire(adjustment) };
}

export function adjustmentToWire(adjustment: Adjustment) {
  return {
    adjustment_id: adjustment.adjustmentId,
    transaction_id: adjustment.transactionId,
    partner_event_id: adjustment.partnerEventId,
    partner_order_ref: adjustment.partnerOrderRef,
    reason_code: adjustment.reasonCode,
    reason_en: adjustment.reasonEn,
    reason_ar: adjustment.reasonAr,
    points_delta: adjustment.pointsDelta,
    amount_delta: adjustment.amountDelta === null ? null : amountText(adjustment.amountDelta),
    settled_points_before: adjustment.settledPointsBefore,
    settled_points_after: adjustment.settledPointsAfter,
    settlement_id: adjustment.settlementId,
    original_settlement_id: adjustment.originalSettlementId,
    reversal_of: adjustment.reversalOf,
    contribution_status: 'confirmed',
    point_restoration_authorized: false,
    posted_at: adjustment.postedAt?.toISOString() ?? null,
  };
}
