import { minorUnitsOf, minorUnitsText } from '../numbers/money.ts';
import { exactAmount, type SettlementTotals } from './settlement-totals.ts';

/** How a settlement comes to what is paid: `carriedIn + net = payable + carriedOut`, and the next one begins with `carriedOut`. */
export interface Figures<Value> {
  /** What the settlement before left: 0 or negative. */
  readonly carriedIn: Value;
  /** Of this period: contributions and adjustments. */
  readonly net: Value;
  /** 0 or positive. */
  readonly payable: Value;
  /** 0 or negative: what the next settlement begins with. */
  readonly carriedOut: Value;
}

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function pointFigures({ carriedPoints, netPoints, totalPoints }: SettlementTotals): Figures<bigint> {
  return { carriedIn: carriedPoints, net: netPoints, ...split(totalPoints) };
}

/**
 * In whole minor units of the currency. Lines are exact and the total is rounded once, so what was carried in is shown as it was carried out,
 * rounded, and the net is what lies between: it differs by one minor unit from the period's own lines where fractions of one were carried in.
 *
 * @returns `null` where the settlement has no amount.
 * @see docs/spec/decisions.md#9-self-service-and-pages; docs/spec/settlements.md#2-settlement, amount.
 */
export function amountFigures(totals: SettlementTotals, currency: string | null): Figures<string> | null {
  const exact = exactAmount(totals);
  if (exact === null || currency === null) return null;
  const [total, carriedIn] = [minorUnitsOf(exact, currency), minorUnitsOf(carriedAmount(totals), currency)];
  const { payable, carriedOut } = split(total);
  const text = (minorUnits: bigint) => minorUnitsText(minorUnits, currency);
  return { carriedIn: text(carriedIn), net: text(total - carriedIn), payable: text(payable), carriedOut: text(carriedOut) };
}

/** Exact: what is no line's of the period's own, all of which have version labels. */
function carriedAmount({ amount, byVersion }: SettlementTotals): bigint {
  return byVersion.reduce((rest, version) => rest - (version.amount ?? 0n), amount ?? 0n);
}

function split(total: bigint): { payable: bigint; carriedOut: bigint } {
  return total > 0n ? { payable: total, carriedOut: 0n } : { payable: 0n, carriedOut: total };
}
