import { amountText } from '../../domain/numbers/money.ts';
import type { Adjustment } from '../../store/adjustments/adjustment.ts';

/**
 * As the audit has it: all but the settlement that closes over it, which has a seal of its own. Entries from before amounts were bounded have none
 * of the members for that, so those that are `null` are left out.
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
