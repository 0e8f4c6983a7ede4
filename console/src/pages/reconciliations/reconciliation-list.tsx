import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { Page } from '../../layout/page.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PartnerFilter } from '../../parts/partner.tsx';
import { useTexts } from '../../texts/language.tsx';
import { ReconciliationRecords } from './reconciliation-records.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { StartReconciliation } from './start-reconciliation.tsx';

export function ReconciliationList() {
  const t = useTexts(RECONCILIATION);
  const { filters, setFilters } = useFilters<'partner'>();
  const wanted = present({ partner_id: filters.partner });
  const query = usePages(['reconciliations', wanted], (place) =>
    answerOf(client.GET('/operator/v1/reconciliations', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help} actions={<StartReconciliation partnerId={filters.partner} />}>
      <Filters>
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
      </Filters>
      <ReconciliationRecords query={query} csv={csvAddress('reconciliations', wanted)} />
    </Page>
  );
}
