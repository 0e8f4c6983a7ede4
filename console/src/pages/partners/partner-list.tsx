import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PartnerLink } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Id, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { PARTNER } from './partner-texts.ts';
import { SET_UP } from './set-up/set-up-texts.ts';

export function PartnerList() {
  const t = useTexts(PARTNER);
  const common = useTexts(COMMON);
  const mayCreate = useMay('operator');
  const { filters, setFilters } = useFilters<'name'>();
  const [name, setName] = useState(filters.name ?? '');
  const [settled] = useDebouncedValue(name, 250);
  useEffect(() => {
    if (settled !== (filters.name ?? '')) setFilters({ name: settled });
  }, [settled, filters.name, setFilters]);
  const query = usePages(['partners', filters.name], (place) =>
    answerOf(client.GET('/operator/v1/partners', { params: { query: { ...present({ name: filters.name }), ...place } } })),
  );
  return (
    <Page title={t.title} actions={mayCreate && <NewPartnerLink />}>
      <Filters>
        <TextInput
          label={t.namePart}
          leftSection={<Icon name="search" size={16} />}
          value={name}
          dir="auto"
          onChange={(event) => setName(event.currentTarget.value)}
          w={{ base: '100%', sm: 300 }}
        />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        csv={csvAddress('partners', present({ name: filters.name }))}
        rowsOf={({ partners }) => partners}
        keyOf={({ partner_id }) => partner_id}
        linkOf={({ partner_id }) => `/partners/${partner_id}`}
        empty={<Empty title={t.nothing} icon="search" />}
        columns={[
          { label: t.name, show: (partner) => <PartnerLink id={partner.partner_id} name={partner.name} /> },
          { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
          { label: t.currency, show: ({ currency }) => currency ?? t.noCurrency },
          { label: t.zone, show: ({ time_zone }) => <bdi dir="ltr">{time_zone}</bdi> },
          { label: t.since, show: ({ created_at }) => <Time at={created_at} style="day" /> },
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
