import { readMoney } from './money.ts';
import type { PartnerSettlement } from './partner-settlements.ts';

type Amounts = Pick<
  PartnerSettlement,
  'period_label' | 'carried_in_amount' | 'net_amount' | 'payable_amount' | 'carried_out_amount' | 'amount'
>;

/**
 * As the partner adds them up, the first settlement first: each begins with what the one before left, and nothing is paid twice.
 *
 * @returns A sentence for each settlement whose amounts do not add up.
 */
export function listWrongAmounts(settlements: readonly Amounts[]): string[] {
  let carried = 0n;
  return settlements.flatMap((each) => {
    const before = carried;
    const [carriedIn, net] = [readOrNothing(each.carried_in_amount), readOrNothing(each.net_amount)];
    const [payable, carriedOut] = [readOrNothing(each.payable_amount), readOrNothing(each.carried_out_amount)];
    const isBilled = each.amount === null || readMoney(each.amount) === payable + carriedOut;
    carried = carriedOut;
    if (carriedIn === before && carriedIn + net === payable + carriedOut && payable >= 0n && carriedOut <= 0n && isBilled)
      return [];
    const told = [each.carried_in_amount, each.net_amount, each.payable_amount, each.carried_out_amount].join(', ');
    return [`${each.period_label} has the amounts ${told} after ${before}, and bills ${each.amount}`];
  });
}

function readOrNothing(text: string | null): bigint {
  return text === null ? 0n : readMoney(text);
}
