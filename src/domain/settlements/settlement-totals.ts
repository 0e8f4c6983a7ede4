import { totalText } from '../numbers/money.ts';
import type { SettlementLine } from './settlement-line.ts';

/** The sums of the lines under one set of version labels. A line that is carried forward has no labels and is in none. */
export interface VersionTotals {
  readonly contributionRuleVersion: string;
  readonly pointConversionVersion: string;
  readonly treeCostVersion: string;
  /** How many contributions. Adjustments are not counted; points and amount include them. */
  readonly count: bigint;
  readonly points: bigint;
  /** Exact, in 10^-12 of the currency's unit; `null` when no line has an amount. */
  readonly amount: bigint | null;
}

/** The sums of a settlement's lines. Sums of int64 values may exceed int64. */
export interface SettlementSums {
  readonly contributionCount: bigint;
  readonly adjustmentCount: bigint;
  readonly grossPoints: bigint;
  /** Signed. */
  readonly adjustmentPoints: bigint;
  /** From the settlement before, 0 or negative. */
  readonly carriedPoints: bigint;
  /** Gross points and the points of adjustments together: those of this period. */
  readonly netPoints: bigint;
  /** Net and carried in: payable when positive, otherwise carried out. */
  readonly totalPoints: bigint;
  /** Exact, in 10^-12 of the currency's unit, before rounding; `null` when no line has an amount. */
  readonly amount: bigint | null;
}

export interface SettlementTotals extends SettlementSums {
  /** In the order of the labels, compared by code units. */
  readonly byVersion: readonly VersionTotals[];
}

/** The fields of a line that are added up. */
export type CountedLine = Pick<
  SettlementLine,
  'lineType' | 'points' | 'amount' | 'contributionRuleVersion' | 'pointConversionVersion' | 'treeCostVersion'
>;

/** Adds up lines one at a time, in memory that grows only with the number of versions. */
export interface TotalsCounter {
  add(line: CountedLine): void;
  totals(): SettlementTotals;
}

/** @see docs/spec/settlements.md#2-settlement, Fields, and "Closing checks that the lines' sum is the totals". */
export function countTotals(): TotalsCounter {
  const counts = { contribution: 0n, adjustment: 0n, carried_forward: 0n };
  const points = { contribution: 0n, adjustment: 0n, carried_forward: 0n };
  const byVersion = new Map<string, Mutable<VersionTotals>>();
  let amount: bigint | null = null;
  return {
    add(line) {
      counts[line.lineType]++;
      points[line.lineType] += line.points;
      amount = addAmount(amount, line.amount);
      addToVersion(byVersion, line);
    },
    totals: () => ({
      contributionCount: counts.contribution,
      adjustmentCount: counts.adjustment,
      grossPoints: points.contribution,
      adjustmentPoints: points.adjustment,
      carriedPoints: points.carried_forward,
      netPoints: points.contribution + points.adjustment,
      totalPoints: points.contribution + points.adjustment + points.carried_forward,
      amount,
      byVersion: [...byVersion].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => ({ ...each })),
    }),
  };
}

/** What a settlement carries in from the previous one. */
export type Carried = Pick<SettlementTotals, 'amount'> & { readonly points: bigint };

/** Sums by version, as an open settlement has them. */
export interface SumsByVersion {
  readonly contributions: readonly VersionTotals[];
  /** With the number of adjustments. */
  readonly adjustments: readonly VersionTotals[];
  readonly carried?: Carried | undefined;
}

/** Makes of the database's sums what {@link countTotals} makes of the lines. */
export function totalsOfSums({ contributions, adjustments, carried }: SumsByVersion): SettlementTotals {
  const grossPoints = sumOf(contributions, 'points');
  const adjustmentPoints = sumOf(adjustments, 'points');
  const carriedPoints = carried?.points ?? 0n;
  const byVersion = addUpVersions([...contributions, ...adjustments.map((each) => ({ ...each, count: 0n }))]);
  return {
    contributionCount: sumOf(contributions, 'count'),
    adjustmentCount: sumOf(adjustments, 'count'),
    grossPoints,
    adjustmentPoints,
    carriedPoints,
    netPoints: grossPoints + adjustmentPoints,
    totalPoints: grossPoints + adjustmentPoints + carriedPoints,
    amount: byVersion.reduce((sum, { amount }) => addAmount(sum, amount), carried?.amount ?? null),
    byVersion: byVersion.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
  };
}

/** The totals with one more adjustment. */
export function addAdjustment(
  totals: SettlementTotals,
  { points, amount, contributionRuleVersion, pointConversionVersion, treeCostVersion }: Omit<VersionTotals, 'count'>,
): SettlementTotals {
  const labels = { contributionRuleVersion, pointConversionVersion, treeCostVersion };
  return {
    ...totals,
    adjustmentCount: totals.adjustmentCount + 1n,
    adjustmentPoints: totals.adjustmentPoints + points,
    netPoints: totals.netPoints + points,
    totalPoints: totals.totalPoints + points,
    amount: addAmount(totals.amount, amount),
    byVersion: addUpVersions([...totals.byVersion, { ...labels, count: 0n, points, amount }]),
  };
}

/** The totals without one of their adjustments. */
export function removeAdjustment(totals: SettlementTotals, line: Omit<VersionTotals, 'count'>): SettlementTotals {
  const opposite = { ...line, points: -line.points, amount: line.amount === null ? null : -line.amount };
  return { ...addAdjustment(totals, opposite), adjustmentCount: totals.adjustmentCount - 1n };
}

function sumOf(parts: readonly VersionTotals[], field: 'count' | 'points'): bigint {
  return parts.reduce((sum, part) => sum + part[field], 0n);
}

/** One entry for each set of labels. */
export function addUpVersions(parts: readonly VersionTotals[]): VersionTotals[] {
  return [...Map.groupBy(parts, keyOf).values()].map((same) => same.reduce(addTwo));
}

function addTwo(one: VersionTotals, other: VersionTotals): VersionTotals {
  const amount = addAmount(one.amount, other.amount);
  return { ...one, count: one.count + other.count, points: one.points + other.points, amount };
}

/**
 * What a settlement below zero carries to the next: its points and its exact amount, each if negative. A negative settlement is not paid,
 * so only the next one is rounded.
 *
 * @returns The line's points and amount, or `undefined` when nothing is carried.
 * @see docs/spec/settlements.md#2-settlement, amount: a negative net is carried into the next settlement as a line.
 */
export function carriedForward({ totalPoints, amount }: SettlementTotals): Carried | undefined {
  const isOwing = totalPoints < 0n || (amount !== null && amount < 0n);
  if (!isOwing) return undefined;
  return { points: totalPoints < 0n ? totalPoints : 0n, amount: amount === null || amount < 0n ? amount : 0n };
}

/**
 * The field `amount`: rounded once to the currency's minor units; negative when it is carried out.
 *
 * @param currency The partner's; `null` gives `null`, and so do lines without an amount.
 */
export function settlementAmount(totals: SettlementTotals, currency: string | null): string | null {
  const amount = exactAmount(totals);
  return amount === null || currency === null ? null : totalText(amount, currency);
}

/** Before rounding. A settlement without lines has the amount 0; `null` when lines have none. */
export function exactAmount({ amount, contributionCount, adjustmentCount, carriedPoints }: SettlementSums): bigint | null {
  const isEmpty = contributionCount === 0n && adjustmentCount === 0n && carriedPoints === 0n;
  return amount ?? (isEmpty ? 0n : null);
}

/** Of the amounts; `null` where there are none. */
export function currencyOfAmounts(totals: SettlementSums, currency: string | null): string | null {
  return exactAmount(totals) === null ? null : currency;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function addToVersion(byVersion: Map<string, Mutable<VersionTotals>>, line: CountedLine): void {
  const { contributionRuleVersion, pointConversionVersion, treeCostVersion } = line;
  if (contributionRuleVersion === null || pointConversionVersion === null || treeCostVersion === null) return;
  const key = keyOf({ contributionRuleVersion, pointConversionVersion, treeCostVersion });
  let totals = byVersion.get(key);
  if (!totals) {
    totals = { contributionRuleVersion, pointConversionVersion, treeCostVersion, count: 0n, points: 0n, amount: null };
    byVersion.set(key, totals);
  }
  if (line.lineType === 'contribution') totals.count++;
  totals.points += line.points;
  totals.amount = addAmount(totals.amount, line.amount);
}

type VersionLabels = Pick<VersionTotals, 'contributionRuleVersion' | 'pointConversionVersion' | 'treeCostVersion'>;

/** No label contains a space. */
function keyOf({ contributionRuleVersion, pointConversionVersion, treeCostVersion }: VersionLabels): string {
  return `${contributionRuleVersion} ${pointConversionVersion} ${treeCostVersion}`;
}

function addAmount(sum: bigint | null, amount: bigint | null): bigint | null {
  return amount === null ? sum : (sum ?? 0n) + amount;
}
