import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { ChoiceFilter, Filters, SettlementFilter } from '../../parts/filters.tsx';
import { PartnerFilter, PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Foreign, Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT_REASON, STATUS } from '../../texts/record-texts.ts';
import { ADJUSTMENT } from './adjustment-texts.ts';

type Status = components['schemas']['Adjustment']['status'];

export function AdjustmentList() {
  const t = useTexts(ADJUSTMENT);
  const common = useTexts(COMMON);
  const reasons = useTexts(ADJUSTMENT_REASON);
  const { draft, approved, posted, rejected } = useTexts(STATUS);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['status', 'partner', 'reason', 'settlement']);
  const { sort, sorting } = useSort(['drafted_at', 'points_delta'], '-drafted_at');
  const wanted = present({
    sort,
    partner_id: filters.partner,
    status: filters.status as Status | undefined,
    settlement_id: filters.partner && filters.settlement,
    reason_code: filters.reason as keyof typeof ADJUSTMENT_REASON | undefined,
  });
  const query = usePages(['adjustments', wanted], (place) =>
    answerOf(client.GET('/operator/v1/adjustments', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help}>
      <Filters names={filterNames}>
        <ChoiceFilter
          label={common.status}
          options={{ draft, approved, posted, rejected }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner, settlement: undefined })} />
        <ChoiceFilter label={t.why} options={reasons} value={filters.reason} onChange={(reason) => setFilters({ reason })} />
        {filters.partner && <SettlementFilter value={filters.settlement} onChange={(settlement) => setFilters({ settlement })} />}
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('adjustments', wanted)}
        rowsOf={({ adjustments }) => adjustments}
        keyOf={({ adjustment_id }) => adjustment_id}
        linkOf={({ partner_id, adjustment_id }) => `/adjustments/${partner_id}/${adjustment_id}`}
        empty={<EmptyList isFiltered={isFiltered} texts={t} icon="scales" />}
        columns={[
          { label: common.partner, show: ({ partner_id }) => <PartnerLink id={partner_id} /> },
          { label: common.order, isName: true, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
          { label: t.change, isFigure: true, sort: 'points_delta', show: ({ points_delta }) => <Points value={points_delta} /> },
          {
            label: t.changeAmount,
            isFigure: true,
            isGiven: ({ amount }) => amount !== null,
            show: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
          { label: t.why, show: ({ reason_code }) => reasons[reason_code] },
          { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
          {
            label: t.drafted,
            sort: 'drafted_at',
            show: ({ partner_id, drafted_at, drafted_by }) => (
              <TwoLines first={<PartnerTime partnerId={partner_id} at={drafted_at} />} second={<Person id={drafted_by} />} />
            ),
          },
        ]}
      />
    </Page>
  );
}
