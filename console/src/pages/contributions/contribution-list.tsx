import { Group } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { startOfDay } from '../../format/time.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { ChoiceFilter, CorrelationFilter, DayFilter, Filters, TextFilter } from '../../parts/filters.tsx';
import { PartnerFilter, usePartner } from '../../parts/partner.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty, Failure } from '../../parts/state.tsx';
import { Foreign, Id, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { CONTRIBUTION } from './contribution-texts.ts';
import { Latest, Named } from './over-partners.tsx';

type Status = 'confirmed' | 'pending' | 'failed';
const FILTERS = ['of', 'partner', 'status', 'from', 'to', 'correlation'] as const;
type Filter = (typeof FILTERS)[number];

export function ContributionList() {
  const t = useTexts(CONTRIBUTION);
  const common = useTexts(COMMON);
  const { confirmed, pending, failed } = useTexts(STATUS);
  const { filters, setFilters } = useFilters(FILTERS);
  const named = filters.of ?? filters.correlation;
  return (
    <Page title={t.title} description={t.help}>
      <Group gap="sm" align="flex-end">
        <TextFilter
          label={t.inHand}
          isSearch
          placeholder={filters.partner ? t.whole : t.beginning}
          value={filters.of}
          onChange={(of) => setFilters({ of })}
          width={380}
        />
        <Filters names={FILTERS}>
          <PartnerFilter
            value={filters.partner}
            onChange={(partner) =>
              setFilters({ partner, ...(!partner && { status: undefined, from: undefined, to: undefined }) })
            }
          />
          {filters.partner && (
            <>
              <ChoiceFilter
                label={common.status}
                options={{ confirmed, pending, failed }}
                value={filters.status}
                onChange={(status) => setFilters({ status })}
              />
              <DayFilter label={common.from} value={filters.from} onChange={(from) => setFilters({ from })} />
              <DayFilter label={common.to} value={filters.to} onChange={(to) => setFilters({ to })} />
            </>
          )}
          <CorrelationFilter value={filters.correlation} onChange={(correlation) => setFilters({ correlation })} />
        </Filters>
      </Group>
      {filters.partner ? (
        <OfPartner partnerId={filters.partner} filters={filters} />
      ) : named === undefined || named.length < 2 ? (
        <Latest />
      ) : (
        <Named text={named} note={filters.of && filters.correlation ? t.namedAlone : t.namedAnywhere} />
      )}
    </Page>
  );
}

interface OfPartnerProps {
  readonly partnerId: string;
  readonly filters: Readonly<Partial<Record<Filter, string>>>;
}

/** The days of the filter are those of the partner. */
function OfPartner({ partnerId, filters: { of, status, from, to, correlation } }: OfPartnerProps) {
  const t = useTexts(CONTRIBUTION);
  const common = useTexts(COMMON);
  const partner = usePartner(partnerId);
  const zone = partner.data?.time_zone;
  const { sort, sorting } = useSort(['created_at'], '-created_at');
  const wanted = present({
    partner_id: partnerId,
    status: status as Status | undefined,
    sort,
    of,
    correlation_id: correlation,
    created_after: startOfDay(from, zone ?? 'UTC'),
    created_before: startOfDay(to, zone ?? 'UTC', 1),
  }) as { partner_id: string };
  const query = usePages(
    ['contributions', wanted],
    (place) =>
      answerOf(
        client.GET('/operator/v1/contributions', {
          params: { query: { ...wanted, ...place } },
        }),
      ),
    { isEnabled: zone !== undefined },
  );
  if (partner.error && !partner.data) return <Failure error={partner.error} onRetry={() => void partner.refetch()} />;
  return (
    <RecordPages
      label={t.title}
      query={query}
      sorting={sorting}
      csv={csvAddress('contributions', wanted)}
      rowsOf={({ contributions }) => contributions}
      keyOf={({ transaction_id }) => transaction_id}
      linkOf={({ transaction_id }) => `/contributions/${partnerId}/${transaction_id}`}
      empty={<Empty title={t.nothing} icon="search" />}
      columns={[
        { label: common.order, narrow: 'title', show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
        { label: common.status, narrow: 'plain', show: ({ status: state }) => <StatusBadge status={state} /> },
        { label: common.points, isFigure: true, narrow: 'end', show: ({ points }) => <Points value={points} /> },
        {
          label: common.recorded,
          sort: 'created_at',
          narrow: 'plain',
          show: ({ created_at }) => <Time at={created_at} zone={zone} />,
        },
        { label: t.transaction, narrow: 'plain', show: ({ transaction_id }) => <Id id={transaction_id} isShort /> },
      ]}
    />
  );
}
