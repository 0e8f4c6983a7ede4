import type { ContributionStatus } from '../contributions/contribution-status.ts';
import { recoveryVerdict } from '../recovery-verdict.ts';
import type { ErrorDetail } from '../service-error.ts';
import type { LineType } from '../settlements/settlement-line.ts';

/**
 * What comes of comparing a partner's list with a settlement, line by line.
 *
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export const RECONCILIATION_VERDICTS = [
  'matched',
  'missing_in_service',
  'missing_in_partner_file',
  'points_mismatch',
  'order_ref_mismatch',
  'duplicate_in_file',
  'other_settlement',
] as const;

export type ReconciliationVerdict = (typeof RECONCILIATION_VERDICTS)[number];

/** Which points of a contribution a list has: as they were contributed, or with adjustments. */
export const MATCHED_POINTS = ['gross', 'net'] as const;

export type MatchedPoints = (typeof MATCHED_POINTS)[number];

/** What a line says that is compared; one that is carried forward has no order. */
export interface ListedSide {
  readonly partnerOrderRef?: string;
  readonly points: bigint;
}

/** What the service has under the same name. */
export interface RecordedSide extends ListedSide {
  readonly status: ContributionStatus;
  /** The settlement that it is on; `null` while it is on none. */
  readonly settlementId: string | null;
  /**
   * Of a contribution: its points with their adjustments, those up to this settlement first, then all that are posted. A partner's list is
   * as of the settlement, or as of today. Empty where only the points themselves can match.
   */
  readonly netPoints: readonly bigint[];
}

/** The two sides of one line; at least one of them is there. */
export interface ReconciliationPair {
  /** The settlement that the list is compared with. */
  readonly settlementId: string;
  readonly listed: ListedSide | null;
  readonly recorded: RecordedSide | null;
  /** Where the list named it before; `null` at its first line. */
  readonly listedBeforeAt: number | null;
}

/** One field in which the sides differ, as texts. */
export interface Difference {
  readonly field: 'partner_order_ref' | 'points';
  readonly listed: string;
  readonly recorded: string;
}

export interface ReconciliationResult {
  readonly verdict: ReconciliationVerdict;
  /** `gross` also where both are the same; `null` where neither is what the list has. */
  readonly matchedPoints: MatchedPoints | null;
  /** Every difference of a pair, also where the verdict is another. */
  readonly differences: readonly Difference[];
  /** What the partner may and should do: of what the service does not have. */
  readonly advice: readonly ErrorDetail[];
}

/**
 * The verdict of one pair. Of several, the first counts: a line that is there twice, one without its contribution, one of another
 * settlement, other points, another order.
 *
 * A contribution that is pending or failed is on no settlement and never was confirmed, so for a list of what was contributed the
 * service does not have it; the look-up that the advice asks for tells its state.
 *
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export function reconcile(pair: ReconciliationPair): ReconciliationResult {
  const matchedPoints = matchPoints(pair);
  const verdict = verdictOf(pair, matchedPoints);
  return {
    verdict,
    matchedPoints,
    differences: findDifferences(pair, matchedPoints),
    advice: verdict === 'missing_in_service' ? adviseMissing('contribution') : [],
  };
}

/** What may and should be done about a line that the service does not have. Points are never restored for it. */
export function adviseMissing(lineType: LineType): ErrorDetail[] {
  const verdict = recoveryVerdict('contribution_not_found', 'lookup');
  if (lineType === 'contribution') return verdict;
  const message = 'Ask the operator: the service has no such line, and no request can create one.';
  return [
    ...verdict.filter(({ field }) => field === 'point_restoration'),
    { field: 'next_action', code: 'contact_operator', message },
  ];
}

function matchPoints({ listed, recorded }: ReconciliationPair): MatchedPoints | null {
  if (!listed || !recorded) return null;
  if (recorded.points === listed.points) return 'gross';
  return recorded.netPoints.includes(listed.points) ? 'net' : null;
}

function verdictOf(
  { settlementId, listed, recorded, listedBeforeAt }: ReconciliationPair,
  matchedPoints: MatchedPoints | null,
): ReconciliationVerdict {
  if (!listed) return 'missing_in_partner_file';
  if (listedBeforeAt !== null) return 'duplicate_in_file';
  if (recorded?.status !== 'confirmed') return 'missing_in_service';
  if (recorded.settlementId !== settlementId) return 'other_settlement';
  if (matchedPoints === null) return 'points_mismatch';
  return recorded.partnerOrderRef === listed.partnerOrderRef ? 'matched' : 'order_ref_mismatch';
}

function findDifferences({ listed, recorded }: ReconciliationPair, matchedPoints: MatchedPoints | null): Difference[] {
  if (!listed || !recorded) return [];
  const differences: Difference[] = [];
  if (matchedPoints === null)
    differences.push({ field: 'points', listed: String(listed.points), recorded: String(recorded.points) });
  const [ours, theirs] = [recorded.partnerOrderRef ?? '', listed.partnerOrderRef ?? ''];
  if (ours !== theirs) differences.push({ field: 'partner_order_ref', listed: theirs, recorded: ours });
  return differences;
}
