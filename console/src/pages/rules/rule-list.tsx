import { Badge, Button, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import type { TimeStyle } from '../../format/time.ts';
import { Page } from '../../layout/page.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { WithCode } from '../../parts/codes/with-code.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PartnerFilter, PartnerLink, PartnerTime, usePartner } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { RowButton } from '../../parts/row-button.tsx';
import { Section } from '../../parts/section.tsx';
import { EmptyList, Loaded } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Foreign, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { InForce } from './in-force.tsx';
import { type Rule, RuleSummary } from './rule-summary.tsx';
import { RULE, RULE_KIND } from './rule-texts.ts';
import { defaultKinds, useRulesInForce } from './use-rules.ts';
import { WithdrawRule } from './withdraw-rule.tsx';

type Kind = Rule['kind'];
type RuleStanding = Rule['standing'];

const COLORS: Readonly<Record<RuleStanding, string>> = { in_force: 'forest', upcoming: 'blue', past: 'gray', withdrawn: 'gray' };

export function RuleList() {
  const t = useTexts(RULE);
  const common = useTexts(COMMON);
  const kinds = useTexts(RULE_KIND);
  const navigate = useNavigate();
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['kind', 'partner', 'standing']);
  const { sort, sorting } = useSort(['starts_at', 'created_at', 'kind'], '-starts_at');
  const standings = { in_force: t.inForce, upcoming: t.upcoming, past: t.past, withdrawn: t.withdrawn };
  const wanted = present({
    sort,
    kind: filters.kind as Kind | undefined,
    partner_id: filters.partner,
    standing: filters.standing as RuleStanding | undefined,
  });
  const query = usePages(['rules', wanted], (place) =>
    answerOf(client.GET('/operator/v1/rules', { params: { query: { ...wanted, ...place } } })),
  );
  const partner = filters.partner;
  const mayCreate = useMay('admin');
  const [withdrawn, setWithdrawn] = useState<Rule>();
  return (
    <Page
      title={t.title}
      description={t.help}
      actions={
        <Button
          {...(mayCreate ? { leftSection: <Icon name="plus" size={16} /> } : { variant: 'default' })}
          onClick={() => void navigate({ href: `/rules/new${partner ? `?partner=${partner}` : ''}` })}
        >
          {mayCreate ? t.create : t.previewVersion}
        </Button>
      }
    >
      <Filters names={filterNames}>
        <ChoiceFilter label={t.kind} options={kinds} value={filters.kind} onChange={(kind) => setFilters({ kind })} />
        <PartnerFilter value={partner} onChange={(id) => setFilters({ partner: id })} />
        <ChoiceFilter
          label={common.status}
          options={standings}
          value={filters.standing}
          onChange={(standing) => setFilters({ standing })}
        />
      </Filters>
      {partner && <InForceOf partnerId={partner} />}
      <RecordPages
        label={t.history}
        query={query}
        sorting={sorting}
        csv={csvAddress('rules', wanted)}
        rowsOf={({ rules }) => rules}
        keyOf={({ kind, version }) => `${kind} ${version}`}
        empty={<EmptyList isFiltered={isFiltered} texts={t} icon="book" />}
        columns={[
          {
            label: t.kindAndVersion,
            sort: 'kind',
            sortKind: 'name',
            show: ({ kind, version }) => <TwoLines first={kinds[kind]} second={<Foreign text={version} />} />,
          },
          { label: t.forWhom, show: ({ partner_id }) => (partner_id ? <PartnerLink id={partner_id} /> : t.everyone) },
          { label: t.states, isSentences: true, show: (rule) => <RuleSummary rule={rule} /> },
          {
            label: t.starts,
            sort: 'starts_at',
            show: ({ partner_id, starts_at }) => <RuleTime partnerId={partner_id} at={starts_at} style="minute" />,
          },
          {
            label: common.created,
            sort: 'created_at',
            show: ({ partner_id, created_at }) => <RuleTime partnerId={partner_id} at={created_at} style="day" />,
          },
          {
            label: common.status,
            show: (rule) => (
              <Stack gap={6} align="flex-start">
                <Badge color={COLORS[rule.standing]} miw="max-content">
                  {standings[rule.standing]}
                </Badge>
                {mayCreate && rule.standing === 'upcoming' && startsLaterThan(WITHDRAWN_BEFORE_MS, rule) && (
                  <RowButton label={t.withdraw} about={rule.version} isRefusal onClick={() => setWithdrawn(rule)} />
                )}
              </Stack>
            ),
          },
        ]}
      />
      {withdrawn && <WithdrawRule rule={withdrawn} onClose={() => setWithdrawn(undefined)} />}
    </Page>
  );
}

interface RuleTimeProps {
  readonly partnerId: string | null;
  readonly at: string;
  readonly style: TimeStyle;
}

/** In the zone of the partner that a version is for, and in the reader's where it is for all. */
function RuleTime({ partnerId, ...time }: RuleTimeProps) {
  return partnerId === null ? <Time {...time} /> : <PartnerTime partnerId={partnerId} {...time} />;
}

function InForceOf({ partnerId }: { readonly partnerId: string }) {
  const t = useTexts(RULE);
  const rules = useRulesInForce(partnerId);
  const partner = usePartner(partnerId);
  return (
    <Section title={t.nowTitle} actions={<AddressLink to={`/partners/${partnerId}/set-up`}>{t.backToSetUp}</AddressLink>}>
      <Loaded query={rules}>
        {(answer) => (
          <Stack gap="xs">
            <InForce rules={answer} currency={partner.data?.currency ?? null} />
            {defaultKinds(answer).length > 0 && (
              <Text size="sm" c="dimmed">
                <WithCode text={t.defaults} />
              </Text>
            )}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

/** The service withdraws no version that starts sooner. */
const WITHDRAWN_BEFORE_MS = 60_000;

function startsLaterThan(ms: number, { starts_at }: Rule): boolean {
  return Date.parse(starts_at) - serviceNow() > ms;
}
