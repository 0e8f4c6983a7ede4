import type { ComparedPoints } from './differing-points.ts';

/** Sums of points over all lines: of any size, and negative where a statement has corrections. */
export interface TotalPoints {
  /** Of every line of the list whose points could be read. */
  readonly listed: bigint;
  /** Of the lines of the settlement with which the list is compared, as contributed. */
  readonly recorded: bigint;
  /** Of the same lines, with adjustments where those of a line are known. */
  readonly recordedNet: bigint;
}

export const NO_POINTS: TotalPoints = { listed: 0n, recorded: 0n, recordedNet: 0n };

/** The verdicts of lines that are of the settlement: each of its lines has one of them, once. */
const OF_SETTLEMENT: readonly ComparedPoints['verdict'][] = [
  'matched',
  'points_mismatch',
  'order_ref_mismatch',
  'missing_in_partner_file',
];

/** @returns The totals with the points of the lines. */
export function addTotals(total: TotalPoints, lines: readonly ComparedPoints[]): TotalPoints {
  let { listed, recorded, recordedNet } = total;
  for (const { verdict, points, recordedPoints, recordedNetPoints } of lines) {
    listed += points ?? 0n;
    if (!OF_SETTLEMENT.includes(verdict)) continue;
    recorded += recordedPoints ?? 0n;
    recordedNet += recordedNetPoints ?? recordedPoints ?? 0n;
  }
  return { listed, recorded, recordedNet };
}
