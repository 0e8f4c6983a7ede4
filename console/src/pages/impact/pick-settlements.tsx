import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { type Chosen, useChosen } from '../../parts/chosen/chosen.ts';
import { Filters, PeriodFilter } from '../../parts/filters.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { useMay } from '../../session/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';
import { type Poolable, usePoolableColumns } from './pooled-settlements.tsx';

const keyOf = ({ settlement_id }: Poolable) => settlement_id;

interface PickProps {
  /** What is done with the chosen ones. They stay chosen under another filter. */
  readonly children: (chosen: Chosen<Poolable>) => ReactNode;
}

/** The settlements that may be added to a batch. */
export function PickSettlements({ children }: PickProps) {
  const t = useTexts(IMPACT);
  const columns = usePoolableColumns('closed_at');
  const mayPool = useMay('operator');
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['partner', 'period']);
  const { sort, sorting } = useSort(['closed_at'], '-closed_at');
  const chosen = useChosen<Poolable>();
  const wanted = present({ sort, partner_id: filters.partner, period: filters.period });
  const query = usePages(['unpooled-settlements', wanted], (place) =>
    answerOf(client.GET('/operator/v1/unpooled-settlements', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Section title={t.pick}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.pickHelp}
        </Text>
        <Filters names={filterNames}>
          <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
          <PeriodFilter value={filters.period} onChange={(period) => setFilters({ period })} />
        </Filters>
        <RecordPages
          label={t.pick}
          query={query}
          sorting={sorting}
          rowsOf={(page) => page.settlements}
          keyOf={keyOf}
          {...(mayPool && { selection: { chosen, label: t.choose } })}
          nameOf={({ partner_name, period_label }) => `${partner_name} · ${period_label}`}
          empty={
            <EmptyList
              isFiltered={isFiltered}
              texts={{ nothingYet: t.nothingToPick, nothingYetHelp: t.nothingToPickHelp }}
              icon="coins"
            />
          }
          columns={columns}
        />
        {mayPool && children(chosen)}
      </Stack>
    </Section>
  );
}
