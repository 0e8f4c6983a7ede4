import type { ContributionStatus } from '../contributions/contribution-status.ts';
import { recoveryVerdict } from '../recovery-verdict.ts';
import type { ErrorDetail } from '../service-error.ts';
import type { LineType } from '../settlements/settlement-line.ts';

/**
 * The verdicts of a reconciliation, line by line.
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

/** The points in a partner's list: as contributed (gross), or with adjustments (net). */
export const MATCHED_POINTS = ['gross', 'net'] as const;

export type MatchedPoints = (typeof MATCHED_POINTS)[number];

/** The values of a line that are compared; a line that is carried forward has no order. */
export interface ListedSide {
  readonly partnerOrderRef?: string;
  readonly points: bigint;
}

/** The service's record with the same identifier. */
export interface RecordedSide extends ListedSide {
  readonly status: ContributionStatus;
  /** The settlement that it is on; `null` while it is on none. */
  readonly settlementId: string | null;
  /**
   * The points of a contribution with the adjustments up to this settlement, then with all posted ones. A partner's list has the state of
   * the settlement, or that of today. Empty when only the gross points can match.
   */
  readonly netPoints: readonly bigint[];
}

/** The two sides of one line; at least one of them exists. */
export interface ReconciliationPair {
  /** The settlement that the list is compared with. */
  readonly settlementId: string;
  readonly listed: ListedSide | null;
  readonly recorded: RecordedSide | null;
  /** The line where the list named it before; `null` for its first line. */
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
  /** `gross` also when both are the same; `null` when neither matches the list. */
  readonly matchedPoints: MatchedPoints | null;
  /** Every difference of a pair, whatever the verdict is. */
  readonly differences: readonly Difference[];
  /** What the partner may and should do about a record that the service does not have. */
  readonly advice: readonly ErrorDetail[];
}

/**
 * The verdict of one pair. When several apply, the first counts: a duplicate line, a line without its contribution, a line of another
 * settlement, other points, another order. A pending or failed contribution is on no settlement and was never confirmed, so the service
 * reports it as missing; the look-up in the advice shows its status.
 *
 * @see docs/spec/settlements.md#2-settlement, Reconciliation.
 */
export function reconcileLine(pair: ReconciliationPair): ReconciliationResult {
  const matchedPoints = matchPoints(pair);
  const verdict = verdictOf(pair, matchedPoints);
  return {
    verdict,
    matchedPoints,
    differences: findDifferences(pair, matchedPoints),
    advice: verdict === 'missing_in_service' ? adviseMissing('contribution') : [],
  };
}

const LOOK_UP_FIRST: ErrorDetail = {
  field: 'next_action',
  code: 'retry_same_request',
  message:
    'Look up by partner_event_id: a pending or failed contribution shows its status. If it is not found, send the original confirmation, with its own Idempotency-Key and payload.',
};
const ASK_OPERATOR: ErrorDetail = {
  field: 'next_action',
  code: 'contact_operator',
  message: 'Ask the operator: the service has no such line, and no request can create one.',
};

/** The advice about a line that the service does not have. Points are never restored for it. */
export function adviseMissing(lineType: LineType): ErrorDetail[] {
  const nextAction: ErrorDetail = lineType === 'contribution' ? LOOK_UP_FIRST : ASK_OPERATOR;
  return recoveryVerdict('contribution_not_found', 'lookup').map((item) => (item.field === 'next_action' ? nextAction : item));
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
