import { Facts } from '../../parts/facts.tsx';
import { PartnerWithId } from '../../parts/partner.tsx';
import { Absent, Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { StatedRule } from './rule-fields.tsx';
import { RULE, RULE_KIND } from './rule-texts.ts';

/** What is about to be created, as it was typed: of which kind, for whom, from when, and each value. */
export function RuleDraftFacts({ stated, partner }: { readonly stated: StatedRule; readonly partner: string | undefined }) {
  const t = useTexts(RULE);
  const kinds = useTexts(RULE_KIND);
  const forWhom = partner === undefined ? t.everyone : <PartnerWithId id={partner} />;
  const typed = (text: string) => (text.trim() === '' ? <Absent /> : <bdi dir="ltr">{text.trim()}</bdi>);
  const amount = stated.kind === 'tree_cost' ? stated.tree_cost : stated.point_value;
  const price = typed(amount.trim() && `${amount.trim()} ${stated.currency.toUpperCase()}`);
  const bounds = [
    { label: t.pointsMin, value: typed(stated.points_min) },
    { label: t.pointsMax, value: typed(stated.points_max) },
    {
      label: t.reviewThreshold,
      value: stated.reviews_everything ? t.reviewsEverything : typed(stated.review_threshold),
    },
    { label: t.dailyPointsCap, value: typed(stated.daily_points_cap) },
    { label: t.dailyCountCap, value: typed(stated.daily_count_cap) },
  ];
  return (
    <Facts
      facts={[
        { label: t.forWhom, value: forWhom },
        {
          label: t.starts,
          value: stated.starts_at === '' ? t.inAMinute : <Time at={new Date(stated.starts_at).toISOString()} />,
        },
        ...(stated.kind === 'contribution_rule' ? bounds : [{ label: kinds[stated.kind], value: price }]),
      ]}
    />
  );
}
