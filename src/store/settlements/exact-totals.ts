import { amountText, readAmount } from '../../domain/numbers/money.ts';
import type { SettlementSums, VersionTotals } from '../../domain/settlements/settlement-totals.ts';

/** A `numeric` of the database, with any trailing zeros. */
export function readExact(text: string | null): bigint | null {
  return text === null ? null : (readAmount(text) ?? null);
}

export function writeExact(amount: bigint | null): string | null {
  return amount === null ? null : amountText(amount);
}

/** The columns of `settlement` that are null until it is closed. */
export interface SumsRow {
  readonly contribution_count: bigint;
  readonly adjustment_count: bigint;
  readonly gross_points: string;
  readonly adjustment_points: string;
  readonly carried_points: string;
  /** The total, carried points included. */
  readonly net_points: string;
  readonly exact_amount: string | null;
}

export function readSums(row: SumsRow): SettlementSums {
  const [grossPoints, adjustmentPoints] = [BigInt(row.gross_points), BigInt(row.adjustment_points)];
  return {
    contributionCount: row.contribution_count,
    adjustmentCount: row.adjustment_count,
    grossPoints,
    adjustmentPoints,
    netPoints: grossPoints + adjustmentPoints,
    carriedPoints: BigInt(row.carried_points),
    totalPoints: BigInt(row.net_points),
    amount: readExact(row.exact_amount),
  };
}

/** The sums of one combination of version labels, as a statement gives them. */
export type VersionSumsRow = Omit<VersionTotals, 'points' | 'amount'> & {
  readonly points: string;
  readonly amount: string | null;
};

export function readVersionSums(row: VersionSumsRow): VersionTotals {
  return { ...row, points: BigInt(row.points), amount: readExact(row.amount) };
}

type VersionText = readonly [
  rule: string,
  conversion: string,
  cost: string,
  count: string,
  points: string,
  amount: string | null,
];

export function readVersions(text: string): VersionTotals[] {
  return (JSON.parse(text) as VersionText[]).map(readVersion);
}

function readVersion([rule, conversion, cost, count, points, amount]: VersionText): VersionTotals {
  return {
    contributionRuleVersion: rule,
    pointConversionVersion: conversion,
    treeCostVersion: cost,
    count: BigInt(count),
    points: BigInt(points),
    amount: readExact(amount),
  };
}

/** Exact as a text: JSON numbers may exceed what other programs read exactly. */
export function writeVersions(byVersion: readonly VersionTotals[]): string {
  return JSON.stringify(
    byVersion.map(
      (each): VersionText => [
        each.contributionRuleVersion,
        each.pointConversionVersion,
        each.treeCostVersion,
        String(each.count),
        String(each.points),
        writeExact(each.amount),
      ],
    ),
  );
}
