import type { ReconciliationVerdict } from './line-verdict.ts';

/** The verdicts of lines by whose points a list and a settlement differ. */
export const DIFFERING_VERDICTS = ['points_mismatch', 'missing_in_service', 'missing_in_partner_file'] as const;

/** The verdicts of lines that a list has beyond those of the settlement, which has no further line for them. */
export const BEYOND_VERDICTS = ['duplicate_in_file', 'other_settlement', 'malformed'] as const;

type DifferingVerdict = (typeof DIFFERING_VERDICTS)[number];
type BeyondVerdict = (typeof BEYOND_VERDICTS)[number];

/** Sums of points: of any size, and negative where a statement has corrections. */
export interface BothPoints {
  readonly listed: bigint;
  /** What is settled, with adjustments where those of the contribution are known. */
  readonly recorded: bigint;
}

/** The sums of the lines of each of these verdicts. Of a list that an earlier release received, those beyond the settlement are absent. */
export type DifferingPoints = Readonly<Record<DifferingVerdict, BothPoints> & Partial<Record<BeyondVerdict, BothPoints>>>;

const NOTHING: BothPoints = { listed: 0n, recorded: 0n };

export const NONE_DIFFERING: DifferingPoints = {
  points_mismatch: NOTHING,
  missing_in_service: NOTHING,
  missing_in_partner_file: NOTHING,
  duplicate_in_file: NOTHING,
  other_settlement: NOTHING,
  malformed: NOTHING,
};

/** The verdicts of which the settlement has the line. */
const SETTLED_VERDICTS: readonly ComparedPoints['verdict'][] = ['points_mismatch', 'missing_in_partner_file'];

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
    const differing = [...DIFFERING_VERDICTS, ...BEYOND_VERDICTS].find((each) => each === verdict);
    const sum = differing && added[differing];
    if (differing === undefined || sum === undefined) continue;
    // A contribution that is pending, failed or of another settlement is recorded, and not on this one.
    const settled = SETTLED_VERDICTS.includes(verdict) ? (recordedNetPoints ?? recordedPoints ?? 0n) : 0n;
    added[differing] = { listed: sum.listed + (points ?? 0n), recorded: sum.recorded + settled };
  }
  return added;
}
