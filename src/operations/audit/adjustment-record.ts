import { amountText } from '../../domain/numbers/money.ts';
import type { Adjustment } from '../../store/adjustments/adjustment.ts';

/**
 * The record in the audit: all fields except the settlement that closes over it, which has its own seal. Older entries lack the members
 * for bounded amounts, so those that are `null` are omitted.
 */
export function adjustmentRecord({ settlementId: _, amountDelta, ...adjustment }: Adjustment): object {
  const { settledAmountBefore, settledAmountAfter, settledAmountMax, beyondWorthReason, ...rest } = adjustment;
  const amounts = Object.entries({ settledAmountBefore, settledAmountAfter, settledAmountMax });
  return {
    ...rest,
    amountDelta: amountDelta === null ? null : amountText(amountDelta),
    ...Object.fromEntries(amounts.flatMap(([name, amount]) => (amount === null ? [] : [[name, amountText(amount)]]))),
    ...(beyondWorthReason !== null && { beyondWorthReason }),
  };
}
