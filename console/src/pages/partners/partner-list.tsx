import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { ChoiceFilter, CurrencyFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PartnerLink } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Id, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { PARTNER } from './partner-texts.ts';
import { SET_UP } from './set-up/set-up-texts.ts';

export function PartnerList() {
  const t = useTexts(PARTNER);
  const common = useTexts(COMMON);
  const mayCreate = useMay('operator');
  const { filterNames, filters, setFilters } = useFilters(['name', 'status', 'currency']);
  const { active, suspended } = useTexts(STATUS);
  const { sort, sorting } = useSort(['created_at', 'name'], 'created_at');
  const wanted = present({
    sort,
    name: filters.name,
    status: filters.status as 'active' | 'suspended' | undefined,
    currency: filters.currency,
  });
  const query = usePages(['partners', wanted], (place) =>
    answerOf(client.GET('/operator/v1/partners', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help} actions={mayCreate && <NewPartnerLink />}>
      <Filters names={filterNames}>
        <TextFilter label={t.namePart} isSearch value={filters.name} onChange={(name) => setFilters({ name })} width={300} />
        <ChoiceFilter
          label={common.status}
          options={{ active, suspended }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <CurrencyFilter value={filters.currency} onChange={(currency) => setFilters({ currency })} />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('partners', wanted)}
        rowsOf={({ partners }) => partners}
        keyOf={({ partner_id }) => partner_id}
        linkOf={({ partner_id }) => `/partners/${partner_id}`}
        empty={<Empty title={t.nothing} icon="search" />}
        columns={[
          {
            label: t.name,
            sort: 'name',
            sortKind: 'name',
            show: (partner) => <PartnerLink id={partner.partner_id} name={partner.name} />,
          },
          { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
          { label: t.currency, show: ({ currency }) => currency ?? t.noCurrency },
          { label: t.zone, show: ({ time_zone }) => <bdi dir="ltr">{time_zone}</bdi> },
          {
            label: t.since,
            sort: 'created_at',
            show: ({ created_at, time_zone }) => <Time at={created_at} zone={time_zone} style="day" />,
          },
          { label: t.id, show: ({ partner_id }) => <Id id={partner_id} isShort /> },
        ]}
      />
    </Page>
  );
}

function NewPartnerLink() {
  const { newPartner } = useTexts(SET_UP);
  const navigate = useNavigate();
  return (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void navigate({ href: '/partners/new' })}>
      {newPartner}
    </Button>
  );
}
