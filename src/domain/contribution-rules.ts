import { POINTS_MAX } from './points.ts';

/** What a partner's contributions are held against, under the version labels that each of them carries. */
export interface ContributionRules {
  readonly contributionRuleVersion: string;
  readonly pointConversionVersion: string;
  readonly treeCostVersion: string;
  readonly pointsMin: bigint;
  readonly pointsMax: bigint;
  /** Whether an operator looks at each contribution before it is confirmed. */
  readonly reviewsEverything: boolean;
}

/** Where no operator has set other rules: every amount, no review, and no conversion, since an invented value would invent debts. */
export const DEFAULT_RULES: ContributionRules = {
  contributionRuleVersion: 'default-1',
  pointConversionVersion: 'default-1',
  treeCostVersion: 'default-1',
  pointsMin: 1n,
  pointsMax: POINTS_MAX,
  reviewsEverything: false,
};

export function isWithinBounds(points: bigint, { pointsMin, pointsMax }: ContributionRules): boolean {
  return points >= pointsMin && points <= pointsMax;
}

/** The status in which a contribution begins. */
export function firstStatus({ reviewsEverything }: ContributionRules): 'confirmed' | 'pending' {
  return reviewsEverything ? 'pending' : 'confirmed';
}
