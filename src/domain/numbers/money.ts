import { findMinorUnits } from './currency.ts';
import { readDecimal, readSignedDecimal, roundHalfUp, signedDecimalText, signedFixedText } from './decimal.ts';

/**
 * Amounts of money without rounding: a whole number of 10^-12 of the currency's unit, so that the value of a point,
 * the cost of a tree, every line and every sum are exact and add up as they are. 12.5 AED is 12 500 000 000 000.
 */
export const MONEY_DECIMALS = 12;

/** The largest price of one point or one tree, exclusive: twelve digits before the point. */
const UNIT_PRICE_LIMIT = 10n ** BigInt(12 + MONEY_DECIMALS);

/**
 * The value of one point or the cost of one tree: `"0.05"` is 50 000 000 000.
 *
 * @returns Above zero and below 10^12 units. `undefined` unless the text is such a plain decimal with at most twelve decimals.
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels, point_conversion_version and tree_cost_version.
 */
export function readUnitPrice(text: string): bigint | undefined {
  if (text.length > 25) return undefined;
  const price = readDecimal(text, MONEY_DECIMALS);
  return price !== undefined && price > 0n && price < UNIT_PRICE_LIMIT ? price : undefined;
}

/** An amount of either sign in 10^-12 of the unit, from a text with at most twelve decimals; `undefined` for anything else. */
export function readAmount(text: string): bigint | undefined {
  return readSignedDecimal(text, MONEY_DECIMALS);
}

/** The exact amount, given in 10^-12 of the unit, without trailing zeros: -12 500 000 000 000 is `"-12.5"`. */
export function amountText(amount: bigint): string {
  return signedDecimalText(amount, MONEY_DECIMALS);
}

/**
 * The value of points: 250 points at 0.05 are 12.5, exactly.
 *
 * @param points Negative for an adjustment that takes points back.
 * @param pointValue As {@link readUnitPrice} gives it.
 * @see docs/spec/settlements.md#2-settlement, amount: lines are exact.
 */
export function amountOf(points: bigint, pointValue: bigint): bigint {
  return points * pointValue;
}

/**
 * A total as it is billed: rounded once, half up, a negative one away from zero; with every decimal of the currency.
 * 12.345 KWD are `"12.345"`, 12.345 AED are `"12.35"`, -0.005 AED are `"-0.01"`, 0 JPY are `"0"`.
 *
 * @throws RangeError The currency is none of ISO 4217.
 * @see docs/spec/settlements.md#2-settlement, amount.
 */
export function totalText(amount: bigint, currency: string): string {
  return minorUnitsText(minorUnitsOf(amount, currency), currency);
}

/** {@link totalText} as a number: 12.345 AED are 1235n. @throws RangeError The currency is none of ISO 4217. */
export function minorUnitsOf(amount: bigint, currency: string): bigint {
  return roundHalfUp(amount, MONEY_DECIMALS, getMinorUnits(currency));
}

/** What is payable of a total, in 10^-12 of the unit: rounded as it is billed, 0 where it is negative. @throws RangeError The currency is none of ISO 4217. */
export function payableOf(amount: bigint, currency: string): bigint {
  const minorUnits = minorUnitsOf(amount, currency);
  return minorUnits > 0n ? minorUnits * 10n ** BigInt(MONEY_DECIMALS - getMinorUnits(currency)) : 0n;
}

/** 1235n of AED are `"12.35"`. @throws RangeError The currency is none of ISO 4217. */
export function minorUnitsText(minorUnits: bigint, currency: string): string {
  return signedFixedText(minorUnits, getMinorUnits(currency));
}

/** Whether an amount can be paid to the last digit: 12.34 AED can, 12.345 AED cannot. @throws RangeError The currency is none of ISO 4217. */
export function isWholeMinorUnits(amount: bigint, currency: string): boolean {
  return amount % 10n ** BigInt(MONEY_DECIMALS - getMinorUnits(currency)) === 0n;
}

function getMinorUnits(currency: string): number {
  const minorUnits = findMinorUnits(currency);
  if (minorUnits === undefined) throw new RangeError(`Not a currency of ISO 4217: ${currency}`);
  return minorUnits;
}
