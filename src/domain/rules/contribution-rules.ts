import { POINTS_MAX } from '../numbers/points.ts';

/**
 * The rules that apply to a partner's contributions, under the version labels in each contribution.
 *
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels.
 */
export interface ContributionRules {
  readonly contributionRuleVersion: string;
  readonly pointConversionVersion: string;
  readonly treeCostVersion: string;
  /** Whole points, 1 to 2^63 - 1, both inclusive. */
  readonly pointsMin: bigint;
  readonly pointsMax: bigint;
  /** Whether an operator reviews every contribution before it is confirmed. */
  readonly reviewsEverything: boolean;
  /** Contributions of at least this many points are reviewed; `null`: none for its points. */
  readonly reviewThreshold: bigint | null;
  /** Contributions beyond this many points in a day are reviewed. */
  readonly dailyPointsCap: bigint | null;
  /** Contributions beyond this many in a day are reviewed. */
  readonly dailyCountCap: bigint | null;
  /** The value of one point, in 10^-12 of the currency's unit; `null`: points have none. */
  readonly pointValue: bigint | null;
  /** The cost of one tree, in 10^-12 of the currency's unit; `null`: unknown. */
  readonly treeCost: bigint | null;
}

/** The label of the rules that apply without a version of an operator. */
export const DEFAULT_VERSION = 'default-1';

/** The rules without a version of an operator: every amount, no review, and no conversion, because an invented value would invent debts. */
export const DEFAULT_RULES: ContributionRules = {
  contributionRuleVersion: DEFAULT_VERSION,
  pointConversionVersion: DEFAULT_VERSION,
  treeCostVersion: DEFAULT_VERSION,
  pointsMin: 1n,
  pointsMax: POINTS_MAX,
  reviewsEverything: false,
  reviewThreshold: null,
  dailyPointsCap: null,
  dailyCountCap: null,
  pointValue: null,
  treeCost: null,
};

export function isWithinBounds(points: bigint, { pointsMin, pointsMax }: ContributionRules): boolean {
  return points >= pointsMin && points <= pointsMax;
}

/** A partner's contributions on one settlement day: confirmed and pending count, failed does not. */
export interface DailyCount {
  readonly points: bigint;
  readonly contributions: bigint;
}

/** A day without contributions; used when no cap is set. */
export const NOTHING_COUNTED: DailyCount = { points: 0n, contributions: 0n };

/** Whether the decision needs the day's count, so that its row must be locked. */
export function hasDailyCap({ dailyPointsCap, dailyCountCap }: ContributionRules): boolean {
  return dailyPointsCap !== null || dailyCountCap !== null;
}

/** Why a contribution begins as pending: by a rule of the partner, or by a scenario of the sandbox. */
export const REVIEW_REASONS = [
  'reviews_everything',
  'review_threshold',
  'daily_points_cap',
  'daily_count_cap',
  'sandbox_scenario',
] as const;

export type ReviewReason = (typeof REVIEW_REASONS)[number];

/**
 * Why a contribution is reviewed before it is confirmed; `undefined`: it is confirmed at once.
 *
 * @param today The count of the same settlement day before it. A cap may be reached exactly, and not exceeded.
 * @see docs/spec/decisions.md#4-pending-and-failed: a contribution becomes pending only by these rules.
 */
export function reviewReason(points: bigint, rules: ContributionRules, today: DailyCount): ReviewReason | undefined {
  const { reviewsEverything, reviewThreshold, dailyPointsCap, dailyCountCap } = rules;
  if (reviewsEverything) return 'reviews_everything';
  if (reviewThreshold !== null && points >= reviewThreshold) return 'review_threshold';
  if (dailyPointsCap !== null && today.points + points > dailyPointsCap) return 'daily_points_cap';
  if (dailyCountCap !== null && today.contributions + 1n > dailyCountCap) return 'daily_count_cap';
  return undefined;
}
