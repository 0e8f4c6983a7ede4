import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { ChoiceFilter, Filters, SettlementFilter } from '../../parts/filters.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { ReconciliationRecords } from './reconciliation-records.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { StartReconciliation } from './start-reconciliation.tsx';

export function ReconciliationList() {
  const t = useTexts(RECONCILIATION);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['partner', 'status', 'settlement']);
  const common = useTexts(COMMON);
  const { receiving, comparing, done, failed } = useTexts(STATUS);
  const { sort, sorting } = useSort(['created_at'], '-created_at');
  const wanted = present({
    sort,
    partner_id: filters.partner,
    settlement_id: filters.partner && filters.settlement,
    status: filters.status as components['schemas']['Reconciliation']['status'] | undefined,
  });
  const query = usePages(['reconciliations', wanted], (place) =>
    answerOf(client.GET('/operator/v1/reconciliations', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help} actions={<StartReconciliation partnerId={filters.partner} />}>
      <Filters names={filterNames}>
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner, settlement: undefined })} />
        <ChoiceFilter
          label={common.status}
          options={{ done, comparing, receiving, failed }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        {filters.partner && <SettlementFilter value={filters.settlement} onChange={(settlement) => setFilters({ settlement })} />}
      </Filters>
      <ReconciliationRecords
        query={query}
        sorting={sorting}
        isFiltered={isFiltered}
        csv={csvAddress('reconciliations', wanted)}
      />
    </Page>
  );
}
