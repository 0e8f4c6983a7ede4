import { type SupportTexts, supportTexts } from '../customer-texts.ts';
import type { ContributionRules } from '../rules/contribution-rules.ts';

/**
 * How many whole trees points are expected to support: points times their value, divided by the cost of a tree, rounded down. Both prices
 * are whole numbers of the same unit, so only the division rounds, and once.
 *
 * @returns `undefined` when points have no value or the cost of a tree is unknown; `0n` for less than one tree.
 * @see docs/spec/settlements.md#1-contribution-rules-the-version-labels, "Expected support".
 */
export function expectedTrees(points: bigint, { pointValue, treeCost }: ContributionRules): bigint | undefined {
  return pointValue === null || treeCost === null ? undefined : (points * pointValue) / treeCost;
}

/** The two texts of a new contribution; they are written with it and never computed again. */
export function expectedSupport(points: bigint, rules: ContributionRules): SupportTexts {
  return supportTexts(points, expectedTrees(points, rules));
}
