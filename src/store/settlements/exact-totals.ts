import { amountText, readAmount } from '../../domain/numbers/money.ts';
import type { VersionTotals } from '../../domain/settlements/settlement-totals.ts';

/** A `numeric` of the database, with any trailing zeros. */
export function readExact(text: string | null): bigint | null {
  return text === null ? null : (readAmount(text) ?? null);
}

export function writeExact(amount: bigint | null): string | null {
  return amount === null ? null : amountText(amount);
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
