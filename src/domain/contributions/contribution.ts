import type { SupportTexts } from '../customer-texts.ts';
import type { ContributionStatus } from './contribution-status.ts';

/**
 * A recorded contribution of points. Its environment and `non_refundable` are derived for each answer.
 *
 * @see docs/spec/interface.md#contribution.
 */
export interface Contribution {
  transactionId: string;
  partnerEventId: string;
  partnerOrderRef: string;
  status: ContributionStatus;
  /** Whole points, 1 to 2^63 - 1. */
  points: bigint;
  opaqueCustomerRef: string | null;
  contributionRuleVersion: string;
  pointConversionVersion: string;
  treeCostVersion: string;
  /** Written with the contribution, never computed again. */
  expectedEnvironmentalSupport: SupportTexts;
  createdAt: Date;
  /** `null` while pending and when failed. */
  confirmedAt: Date | null;
  /** `null` unless failed. */
  failedAt: Date | null;
}
