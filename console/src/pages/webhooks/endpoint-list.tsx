import { Badge } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { formatBounded } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { EndpointBadge } from '../../parts/badges.tsx';
import { ChoiceFilter, Filters } from '../../parts/filters.tsx';
import { PartnerFilter, PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Age, Foreign, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { isPaused } from './endpoint-trouble.tsx';
import { WEBHOOK } from './webhook-texts.ts';

type Endpoint = components['schemas']['Endpoint'];

export function EndpointList() {
  const t = useTexts(WEBHOOK);
  const common = useTexts(COMMON);
  const { waiting, exhausted } = useTexts(STATUS);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['state', 'undelivered', 'partner']);
  const { sort, sorting } = useSort(['created_at', 'failing_since'], 'created_at');
  const wanted = present({
    sort,
    partner_id: filters.partner,
    state: filters.state as 'healthy' | 'disabled' | 'failing' | undefined,
    undelivered: filters.undelivered as 'waiting' | 'exhausted' | undefined,
  });
  const query = usePages(['endpoints', wanted], (place) =>
    answerOf(client.GET('/operator/v1/endpoints', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help}>
      <Filters names={filterNames}>
        <ChoiceFilter
          label={t.state}
          options={{ healthy: t.notFailing, failing: t.failing, disabled: t.disabled }}
          value={filters.state}
          onChange={(state) => setFilters({ state })}
        />
        <ChoiceFilter
          label={t.undelivered}
          options={{ waiting, exhausted }}
          value={filters.undelivered}
          onChange={(undelivered) => setFilters({ undelivered })}
        />
        <PartnerFilter value={filters.partner} onChange={(partner) => setFilters({ partner })} />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('endpoints', wanted)}
        rowsOf={({ endpoints }) => endpoints}
        keyOf={({ endpoint_id }) => endpoint_id}
        linkOf={({ partner_id, endpoint_id }) => `/webhooks/${partner_id}/${endpoint_id}`}
        empty={<EmptyList isFiltered={isFiltered} texts={t} icon="webhook" />}
        columns={[
          { label: common.partner, show: ({ partner_id }) => <PartnerLink id={partner_id} /> },
          { label: t.endpoint, isName: true, show: ({ url }) => <Foreign text={url} /> },
          { label: t.state, show: (endpoint) => <Health endpoint={endpoint} /> },
          { label: t.undelivered, isFigure: true, show: ({ undelivered }) => <Undelivered count={undelivered} /> },
          { label: t.failures, isFigure: true, show: ({ failures_in_row }) => <Points value={String(failures_in_row)} /> },
          {
            label: t.since,
            sort: 'failing_since',
            show: ({ partner_id, failing_since: at }) =>
              at ? <TwoLines first={<Age at={at} />} second={<PartnerTime partnerId={partner_id} at={at} />} /> : <Absent />,
          },
          {
            label: common.created,
            sort: 'created_at',
            show: ({ partner_id, created_at }) => <PartnerTime partnerId={partner_id} at={created_at} style="day" />,
          },
        ]}
      />
    </Page>
  );
}

/** The service counts no further. */
const UNDELIVERED_MAX = 100;

function Undelivered({ count }: { readonly count: number }) {
  const isMore = count > UNDELIVERED_MAX;
  return <bdi className="figure">{formatBounded({ count: isMore ? UNDELIVERED_MAX : count, is_more: isMore })}</bdi>;
}

export function Health({ endpoint }: { readonly endpoint: Endpoint }) {
  const t = useTexts(WEBHOOK);
  const { status, failing_since } = endpoint;
  if (status !== 'active') return <EndpointBadge status={status} />;
  if (isPaused(endpoint)) return <Badge color="red">{t.pausedNow}</Badge>;
  return <Badge color={failing_since ? 'red' : 'gray'}>{failing_since ? t.failing : t.notFailing}</Badge>;
}
