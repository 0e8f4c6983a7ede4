import { minorUnitsOf, minorUnitsText } from '../numbers/money.ts';
import { exactAmount, type SettlementSums, type SettlementTotals } from './settlement-totals.ts';

/**
 * How the payable figure of a settlement results: `carriedIn + net = payable + carriedOut`; the next settlement begins with `carriedOut`.
 */
export interface Figures<Value> {
  /** Carried from the previous settlement: 0 or negative. */
  readonly carriedIn: Value;
  /** The contributions and adjustments of this period together. */
  readonly net: Value;
  /** 0 or positive. */
  readonly payable: Value;
  /** 0 or negative; the next settlement begins with it. */
  readonly carriedOut: Value;
}

/** @see docs/spec/decisions.md#9-self-service-and-pages. */
export function pointFigures({ carriedPoints, netPoints, totalPoints }: SettlementSums): Figures<bigint> {
  return { carriedIn: carriedPoints, net: netPoints, ...split(totalPoints) };
}

/**
 * In whole minor units of the currency. Lines are exact and the total is rounded once, so the carried-in amount is shown rounded, as it
 * was carried out, and the net is the difference: it differs by one minor unit from the period's own lines when fractions were carried
 * in.
 *
 * @returns `null` when the settlement has no amount.
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

/** The exact carried amount: of lines without version labels, which all lines of the period have. */
function carriedAmount({ amount, byVersion }: SettlementTotals): bigint {
  return byVersion.reduce((rest, version) => rest - (version.amount ?? 0n), amount ?? 0n);
}

function split(total: bigint): { payable: bigint; carriedOut: bigint } {
  return total > 0n ? { payable: total, carriedOut: 0n } : { payable: 0n, carriedOut: total };
}
