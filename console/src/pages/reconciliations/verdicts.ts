import type { components } from '../../api/operator-types.ts';

export type Reconciliation = components['schemas']['Reconciliation'];
export type ReconciliationLine = components['schemas']['ReconciliationLine'];
export type Verdict = ReconciliationLine['verdict'];

/** What needs a hand first, what agrees last. */
export const VERDICTS: readonly Verdict[] = [
  ...(['points_mismatch', 'missing_in_service', 'missing_in_partner_file', 'order_ref_mismatch'] as const),
  ...(['duplicate_in_file', 'other_settlement', 'malformed', 'matched'] as const),
];

/** A line that could not be read may be of a contribution that the file seems to lack: the two count once. */
export function countDifferences({ counts }: Pick<Reconciliation, 'counts'>): number {
  const all = VERDICTS.reduce((sum, verdict) => (verdict === 'matched' ? sum : sum + counts[verdict]), 0);
  return all - Math.min(counts.malformed, counts.missing_in_partner_file);
}

type WithPoints = Pick<Reconciliation, 'differing_points'>;

/** The points that each side has on the lines of a verdict; `undefined` where no points were added up. */
export function pointsOf({ differing_points: sums }: WithPoints, verdict: Verdict) {
  return Object.entries(sums ?? {}).find(([name]) => name === verdict)?.[1] ?? undefined;
}

/** How many more points the file has than the settlement, over all differing lines; `undefined` where no points were added up. */
export function excessOf({ differing_points: sums }: WithPoints): bigint | undefined {
  if (sums === null) return undefined;
  const known = Object.values(sums).filter((sum) => sum !== null);
  return known.reduce((excess, { listed, recorded }) => excess + BigInt(listed) - BigInt(recorded), 0n);
}

export function isUnderWay({ status }: Pick<Reconciliation, 'status'>): boolean {
  return status === 'receiving' || status === 'comparing';
}

/** Which words say what the partner does about a line that the service has not confirmed. */
export function adviceOf({ line_type, contribution_status }: Pick<ReconciliationLine, 'line_type' | 'contribution_status'>) {
  return line_type === 'contribution' ? (contribution_status ?? 'unknown') : 'noContribution';
}

/**
 * What has to be settled more or less, where the file is right; `undefined` for a line that no adjustment concerns. A line of a statement
 * has the points without adjustments, which have lines of their own: once some are posted it does not say what should be settled.
 */
export function deltaOf(
  line: ReconciliationLine,
  { is_statement: isStatement }: Pick<Reconciliation, 'is_statement'>,
): string | undefined {
  const { verdict, points, recorded_points, settled_points, line_type } = line;
  if (settled_points === null || line_type !== 'contribution') return undefined;
  if (isStatement && settled_points !== recorded_points) return undefined;
  const listed = verdict === 'missing_in_partner_file' ? '0' : points;
  if (listed === null || (verdict !== 'points_mismatch' && verdict !== 'missing_in_partner_file')) return undefined;
  // No adjustment settles more points than the contribution has.
  if (recorded_points !== null && BigInt(listed) > BigInt(recorded_points)) return undefined;
  const delta = BigInt(listed) - BigInt(settled_points);
  return delta === 0n ? undefined : String(delta);
}
