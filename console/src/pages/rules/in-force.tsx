import type { components } from '../../api/operator-types.ts';
import { Facts } from '../../parts/facts.tsx';
import { Money, Points } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { PointsRange } from './points-range.tsx';
import { RULE, RULE_KIND } from './rule-texts.ts';

type InForceRules = components['schemas']['RulesInForce'];

/** What is in force for a partner, with the labels of its versions. */
export function InForce({ rules, currency }: { readonly rules: InForceRules; readonly currency: string | null }) {
  const t = useTexts(RULE);
  const kinds = useTexts(RULE_KIND);
  const label = (version: string) => <bdi dir="ltr">{version}</bdi>;
  return (
    <Facts
      columns={3}
      facts={[
        { label: kinds.contribution_rule, value: label(rules.contribution_rule_version) },
        { label: `${kinds.point_conversion} (${t.version})`, value: label(rules.point_conversion_version) },
        { label: `${kinds.tree_cost} (${t.version})`, value: label(rules.tree_cost_version) },
        {
          label: `${t.pointsMin} – ${t.pointsMax}`,
          value: <PointsRange least={rules.points_min} most={rules.points_max} />,
        },
        { label: t.pointValue, value: <Money amount={rules.point_value} currency={currency} /> },
        { label: t.treeCost, value: <Money amount={rules.tree_cost} currency={currency} /> },
        {
          label: t.reviewThreshold,
          value: rules.reviews_everything ? t.reviewsEverything : <Points value={rules.review_threshold} />,
        },
        { label: t.dailyPointsCap, value: <Points value={rules.daily_points_cap} /> },
        { label: t.dailyCountCap, value: <Points value={rules.daily_count_cap} /> },
      ]}
    />
  );
}
