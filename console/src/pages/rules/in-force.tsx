import type { components } from '../../api/operator-types.ts';
import { Facts } from '../../parts/facts.tsx';
import { Absent, Money } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { COUNTED, FACT } from '../../texts/record-texts.ts';
import { PointsRange } from './points-range.tsx';
import { RULE } from './rule-texts.ts';

type InForceRules = components['schemas']['RulesInForce'];

/** What is in force for a partner, with the labels of its versions. */
export function InForce({ rules, currency }: { readonly rules: InForceRules; readonly currency: string | null }) {
  const t = useTexts(RULE);
  const facts = useTexts(FACT);
  const counted = useTexts(COUNTED);
  const inWords = (limit: string | null, words: (limit: string) => string) => (limit === null ? <Absent /> : words(limit));
  const label = (version: string) => <bdi dir="ltr">{version}</bdi>;
  return (
    <Facts
      columns={3}
      facts={[
        { label: facts.contribution_rule_version, value: label(rules.contribution_rule_version) },
        { label: facts.point_conversion_version, value: label(rules.point_conversion_version) },
        { label: facts.tree_cost_version, value: label(rules.tree_cost_version) },
        { label: t.points, value: <PointsRange least={rules.points_min} most={rules.points_max} /> },
        { label: t.pointValue, value: <Money amount={rules.point_value} currency={currency} /> },
        { label: t.treeCost, value: <Money amount={rules.tree_cost} currency={currency} /> },
        {
          label: t.reviewThreshold,
          value: rules.reviews_everything ? t.reviewsEverything : inWords(rules.review_threshold, t.fromThreshold),
        },
        { label: t.dailyPointsCap, value: inWords(rules.daily_points_cap, counted.points) },
        { label: t.dailyCountCap, value: inWords(rules.daily_count_cap, counted.contributions) },
      ]}
    />
  );
}
