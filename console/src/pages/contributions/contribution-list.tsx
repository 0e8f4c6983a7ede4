import { Paper } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { PartnerFilter, usePartner } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Foreign, Id, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { CONTRIBUTION } from './contribution-texts.ts';

type Status = 'confirmed' | 'pending' | 'failed';

export function ContributionList() {
  const t = useTexts(CONTRIBUTION);
  const common = useTexts(COMMON);
  const { confirmed, pending, failed } = useTexts(STATUS);
  const { filters, setFilters } = useFilters<'partner' | 'status'>();
  return (
    <Page title={t.title} description={t.help}>
      <Filters>
        <PartnerFilter isRequired value={filters.partner} onChange={(partner) => setFilters({ partner })} />
        <ChoiceFilter
          label={common.status}
          options={{ confirmed, pending, failed }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
      </Filters>
      {filters.partner ? (
        <OfPartner partnerId={filters.partner} status={filters.status as Status | undefined} />
      ) : (
        <Paper>
          <Empty icon="building" title={t.choose}>
            {t.chooseHelp}
          </Empty>
        </Paper>
      )}
    </Page>
  );
}

function OfPartner({ partnerId, status }: { readonly partnerId: string; readonly status: Status | undefined }) {
  const t = useTexts(CONTRIBUTION);
  const common = useTexts(COMMON);
  const zone = usePartner(partnerId).data?.time_zone;
  const query = usePages(['contributions', partnerId, status], (place) =>
    answerOf(
      client.GET('/operator/v1/contributions', {
        params: { query: { partner_id: partnerId, ...present({ status }), ...place } },
      }),
    ),
  );
  return (
    <RecordPages
      label={t.title}
      query={query}
      csv={csvAddress('contributions', { partner_id: partnerId, ...present({ status }) })}
      rowsOf={({ contributions }) => contributions}
      keyOf={({ transaction_id }) => transaction_id}
      linkOf={({ transaction_id }) => `/contributions/${partnerId}/${transaction_id}`}
      empty={<Empty title={t.nothing} icon="search" />}
      columns={[
        { label: common.order, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
        { label: common.status, show: ({ status: state }) => <StatusBadge status={state} /> },
        { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
        { label: t.recordedAt, show: ({ created_at }) => <Time at={created_at} zone={zone} /> },
        { label: t.transaction, show: ({ transaction_id }) => <Id id={transaction_id} isShort /> },
      ]}
    />
  );
}
