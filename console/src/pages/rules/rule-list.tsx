import { Badge, Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { formatWhole } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PartnerFilter, PartnerLink, usePartner } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/state.tsx';
import { Money, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { useRulesInForce } from '../partners/set-up/rule-step.tsx';
import { InForce } from './in-force.tsx';
import { RULE, RULE_KIND } from './rule-texts.ts';
import { WithdrawRule } from './withdraw-rule.tsx';

export type Rule = components['schemas']['Rule'];
type Kind = Rule['kind'];
type State = 'inForce' | 'upcoming' | 'past' | 'withdrawn';

const COLORS: Readonly<Record<State, string>> = { inForce: 'forest', upcoming: 'blue', past: 'gray', withdrawn: 'gray' };

/** Among versions of the same kind for the same partners, the one that started last is in force. */
function stateOf(rule: Rule, all: readonly Rule[]): State {
  if (rule.withdrawn_at !== null) return 'withdrawn';
  const now = new Date().toISOString();
  if (rule.starts_at > now) return 'upcoming';
  const isReplaced = all.some(
    (other) =>
      other.kind === rule.kind &&
      other.partner_id === rule.partner_id &&
      other.currency === rule.currency &&
      other.withdrawn_at === null &&
      other.starts_at <= now &&
      other.starts_at > rule.starts_at,
  );
  return isReplaced ? 'past' : 'inForce';
}

export function RuleList() {
  const t = useTexts(RULE);
  const common = useTexts(COMMON);
  const kinds = useTexts(RULE_KIND);
  const navigate = useNavigate();
  const { filters, setFilters } = useFilters<'kind' | 'partner'>();
  const wanted = present({ kind: filters.kind as Kind | undefined, partner_id: filters.partner });
  const query = usePages(['rules', wanted], (place) =>
    answerOf(client.GET('/operator/v1/rules', { params: { query: { ...wanted, ...place } } })),
  );
  const all = query.data?.pages.flatMap(({ rules }) => rules) ?? [];
  const partner = filters.partner;
  return (
    <Page
      title={t.title}
      description={t.help}
      actions={
        <Button
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => void navigate({ href: `/rules/new${partner ? `?partner=${partner}` : ''}` })}
        >
          {t.create}
        </Button>
      }
    >
      <Filters>
        <ChoiceFilter label={t.kind} options={kinds} value={filters.kind} onChange={(kind) => setFilters({ kind })} />
        <PartnerFilter value={partner} onChange={(id) => setFilters({ partner: id })} />
      </Filters>
      {partner && <InForceOf partnerId={partner} />}
      <RecordPages
        label={t.history}
        query={query}
        csv={csvAddress('rules', wanted)}
        rowsOf={({ rules }) => rules.toReversed()}
        keyOf={({ kind, version }) => `${kind} ${version}`}
        empty={
          <Empty title={t.nothing} icon="book">
            {t.nothingHelp}
          </Empty>
        }
        columns={[
          { label: t.kind, show: ({ kind }) => kinds[kind] },
          { label: t.version, show: ({ version }) => <bdi dir="ltr">{version}</bdi> },
          { label: t.forWhom, show: ({ partner_id }) => (partner_id ? <PartnerLink id={partner_id} /> : t.everyone) },
          { label: t.states, show: (rule) => <Said rule={rule} /> },
          { label: t.starts, show: ({ starts_at }) => <Time at={starts_at} /> },
          {
            label: common.status,
            show: (rule) => {
              const state = stateOf(rule, all);
              return (
                <>
                  <Badge color={COLORS[state]} miw="max-content">
                    {t[state]}
                  </Badge>{' '}
                  {state === 'upcoming' && <WithdrawRule rule={rule} />}
                </>
              );
            },
          },
        ]}
      />
    </Page>
  );
}

function InForceOf({ partnerId }: { readonly partnerId: string }) {
  const t = useTexts(RULE);
  const rules = useRulesInForce(partnerId);
  const partner = usePartner(partnerId);
  return (
    <Section title={t.nowTitle}>
      <Loaded query={rules}>{(answer) => <InForce rules={answer} currency={partner.data?.currency ?? null} />}</Loaded>
    </Section>
  );
}

/** What a version says, in a line for each part. */
export function Said({ rule }: { readonly rule: Rule }) {
  const t = useTexts(RULE);
  if (rule.kind === 'point_conversion') return <Money amount={rule.point_value} currency={rule.currency} />;
  if (rule.kind === 'tree_cost') return <Money amount={rule.tree_cost} currency={rule.currency} />;
  const parts: [label: string, value: string | null][] = [
    [t.reviewThreshold, rule.review_threshold],
    [t.dailyPointsCap, rule.daily_points_cap],
    [t.dailyCountCap, rule.daily_count_cap],
  ];
  return (
    <Stack gap={0}>
      <span>
        <bdi dir="ltr" className="figure">
          {formatWhole(rule.points_min ?? '')} – {formatWhole(rule.points_max ?? '')}
        </bdi>
      </span>
      {rule.reviews_everything && <span>{t.reviewsEverything}</span>}
      {parts.map(
        ([label, value]) =>
          value !== null && (
            <span key={label}>
              {label}: <bdi className="figure">{formatWhole(value)}</bdi>
            </span>
          ),
      )}
    </Stack>
  );
}
