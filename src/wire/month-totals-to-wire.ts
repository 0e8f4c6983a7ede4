import { findMinorUnits } from '../domain/numbers/currency.ts';
import { totalText } from '../domain/numbers/money.ts';
import type { CurrencyTotals, MonthTotals } from '../domain/settlements/month-totals.ts';

interface MonthState extends MonthTotals {
  readonly asOf: Date;
  readonly openCount: bigint;
}

/** The settlements of a month, as the interface of operators and `settlement totals --json` show them. */
export function monthTotalsToWire(month: string, { asOf, openCount, closedCount, answers, totals }: MonthState) {
  return {
    month,
    as_of: asOf,
    open_count: openCount,
    closed_count: closedCount,
    pending_count: answers.pending,
    accepted_count: answers.accepted,
    disputed_count: answers.disputed,
    totals: totals.map(totalsToWire),
  };
}

function totalsToWire({ currency, ...total }: CurrencyTotals) {
  return {
    currency,
    minor_units: currency === null ? null : (findMinorUnits(currency) ?? null),
    settlement_count: total.settlementCount,
    contribution_count: total.contributionCount,
    net_points: total.netPoints,
    payable_points: total.payablePoints,
    payable_amount: payableText(currency, total.payableAmount),
    carried_out_points: total.carriedOutPoints,
  };
}

/** As it is billed; `null` for settlements without an amount. */
export function payableText(currency: string | null, amount: bigint | null): string | null {
  return currency === null || amount === null ? null : totalText(amount, currency);
}
