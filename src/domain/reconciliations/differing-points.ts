import type { ReconciliationVerdict } from './line-verdict.ts';

/** The verdicts of lines by whose points a list and a settlement differ. */
export const DIFFERING_VERDICTS = ['points_mismatch', 'missing_in_service', 'missing_in_partner_file'] as const;

type DifferingVerdict = (typeof DIFFERING_VERDICTS)[number];

/** Sums of points: of any size, and negative where a statement has corrections. */
export interface BothPoints {
  readonly listed: bigint;
  /** What is settled, with adjustments where those of the contribution are known. */
  readonly recorded: bigint;
}

/** The sums of the lines of each of these verdicts. */
export type DifferingPoints = Readonly<Record<DifferingVerdict, BothPoints>>;

const NOTHING: BothPoints = { listed: 0n, recorded: 0n };

export const NONE_DIFFERING: DifferingPoints = {
  points_mismatch: NOTHING,
  missing_in_service: NOTHING,
  missing_in_partner_file: NOTHING,
};

export interface ComparedPoints {
  readonly verdict: ReconciliationVerdict | 'malformed';
  readonly points: bigint | null;
  readonly recordedPoints: bigint | null;
  readonly recordedNetPoints: bigint | null;
}

/** @returns The sums with those of the lines; a line of another verdict adds nothing. */
export function addDiffering(sums: DifferingPoints, lines: readonly ComparedPoints[]): DifferingPoints {
  const added = { ...sums };
  for (const { verdict, points, recordedPoints, recordedNetPoints } of lines) {
    const differing = DIFFERING_VERDICTS.find((each) => each === verdict);
    if (differing === undefined) continue;
    const { listed, recorded } = added[differing];
    // A pending or failed contribution is recorded, and on no settlement.
    const settled = differing === 'missing_in_service' ? 0n : (recordedNetPoints ?? recordedPoints ?? 0n);
    added[differing] = { listed: listed + (points ?? 0n), recorded: recorded + settled };
  }
  return added;
}
