import { Stack } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { Money } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { PointsRange } from './points-range.tsx';
import { RULE } from './rule-texts.ts';

export type Rule = components['schemas']['Rule'];

/** The values of a version of a rule, a line for each bound or cap. */
export function RuleSummary({ rule }: { readonly rule: Rule }) {
  const t = useTexts(RULE);
  const counted = useTexts(COUNTED);
  if (rule.kind === 'point_conversion') return <Money amount={rule.point_value} currency={rule.currency} />;
  if (rule.kind === 'tree_cost') return <Money amount={rule.tree_cost} currency={rule.currency} />;
  const parts: [label: string, value: string | null, words: (value: string) => string][] = [
    [t.reviewThreshold, rule.review_threshold, t.fromThreshold],
    [t.dailyPointsCap, rule.daily_points_cap, counted.points],
    [t.dailyCountCap, rule.daily_count_cap, counted.contributions],
  ];
  return (
    <Stack gap={0}>
      <span>
        {t.points}: <PointsRange least={rule.points_min} most={rule.points_max} />
      </span>
      {rule.reviews_everything && <span>{t.reviewsEverything}</span>}
      {parts.map(
        ([label, value, words]) =>
          value !== null && (
            <span key={label}>
              {label}: {words(value)}
            </span>
          ),
      )}
    </Stack>
  );
}
