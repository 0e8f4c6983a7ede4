import { amountText } from '../../domain/numbers/money.ts';
import type { RuleRecord } from '../../store/rules/rule-version.ts';

/** The form for programs and the audit: prices as exact decimals, whole numbers as they are. */
export function ruleToWire(rule: RuleRecord): Record<string, unknown> {
  return {
    kind: rule.kind,
    version: rule.version,
    partner_id: rule.partnerId,
    starts_at: rule.startsAt.toISOString(),
    ...contentToWire(rule),
    created_at: rule.createdAt.toISOString(),
    withdrawn_at: rule.withdrawnAt?.toISOString() ?? null,
  };
}

function contentToWire(rule: RuleRecord): Record<string, unknown> {
  switch (rule.kind) {
    case 'contribution_rule':
      return {
        points_min: rule.pointsMin,
        points_max: rule.pointsMax,
        reviews_everything: rule.reviewsEverything,
        review_threshold: rule.reviewThreshold,
        daily_points_cap: rule.dailyPointsCap,
        daily_count_cap: rule.dailyCountCap,
      };
    case 'point_conversion':
      return { point_value: rule.pointValue === null ? null : amountText(rule.pointValue), currency: rule.currency };
    case 'tree_cost':
      return { tree_cost: rule.treeCost === null ? null : amountText(rule.treeCost), currency: rule.currency };
  }
}
