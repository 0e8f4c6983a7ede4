import type { components } from '../../api/operator-types.ts';
import { formatWhole } from '../../format/points.ts';
import { Facts } from '../../parts/facts.tsx';
import { Money, Points } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { RULE, RULE_KIND } from './rule-texts.ts';

/** The most that a number of points can be. */
const UNLIMITED = '9223372036854775807';

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
          value: (
            <bdi dir="ltr" className="figure">
              {formatWhole(rules.points_min)} – {rules.points_max === UNLIMITED ? t.noLimit : formatWhole(rules.points_max)}
            </bdi>
          ),
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
