import type { ContributionStatus } from './lifecycle.ts';
import type { ListedContribution } from './partner-list.ts';
import { recoveryVerdict } from './recovery.ts';
import type { ErrorDetail } from './service-error.ts';

/** What comes of comparing a partner's list with a settlement, line by line. @see settlements, section 2, Reconciliation. */
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

/** What the service has under the same `partner_event_id`. */
export interface RecordedContribution extends ListedContribution {
  readonly transactionId: string;
  readonly status: ContributionStatus;
  /** The settlement that it is on; `null` while it is on none. */
  readonly settlementId: string | null;
}

/** The two sides of one event; at least one of them is there. */
export interface ReconciliationPair {
  /** The settlement that the list is compared with. */
  readonly settlementId: string;
  readonly listed: ListedContribution | null;
  readonly recorded: RecordedContribution | null;
  /** Where the list named the event before; `null` at its first line. */
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
 * @see settlements, section 2, Reconciliation.
 */
export function reconcile(pair: ReconciliationPair): ReconciliationResult {
  const verdict = verdictOf(pair);
  return {
    verdict,
    differences: findDifferences(pair),
    advice: verdict === 'missing_in_service' ? recoveryVerdict('contribution_not_found', 'lookup') : [],
  };
}

function verdictOf({ settlementId, listed, recorded, listedBeforeAt }: ReconciliationPair): ReconciliationVerdict {
  if (!listed) return 'missing_in_partner_file';
  if (listedBeforeAt !== null) return 'duplicate_in_file';
  if (recorded?.status !== 'confirmed') return 'missing_in_service';
  if (recorded.settlementId !== settlementId) return 'other_settlement';
  if (recorded.points !== listed.points) return 'points_mismatch';
  return recorded.partnerOrderRef === listed.partnerOrderRef ? 'matched' : 'order_ref_mismatch';
}

function findDifferences({ listed, recorded }: ReconciliationPair): Difference[] {
  if (!listed || !recorded) return [];
  const differences: Difference[] = [
    { field: 'points', listed: String(listed.points), recorded: String(recorded.points) },
    { field: 'partner_order_ref', listed: listed.partnerOrderRef, recorded: recorded.partnerOrderRef },
  ];
  return differences.filter((difference) => difference.listed !== difference.recorded);
}
