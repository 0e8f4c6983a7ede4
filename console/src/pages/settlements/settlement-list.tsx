import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { pathOf } from '../../api/path-of.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { monthOf } from '../../format/period.ts';
import { Page } from '../../layout/page.tsx';
import { AnswerBadge, StatusBadge } from '../../parts/badges.tsx';
import { ChoiceFilter, CurrencyFilter, Filters, PeriodFilter } from '../../parts/filters.tsx';
import { PartnerFilter, PartnerLink } from '../../parts/partner.tsx';
import { Period } from '../../parts/period.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { EmptyList } from '../../parts/state.tsx';
import { Absent, Money, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { MonthTotals } from './month-totals.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

const FILTERS = ['partner', 'answer', 'period', 'currency', 'status'] as const;
type Settlement = components['schemas']['Settlement'];
type Answer = Settlement['acknowledgement']['status'];

/** Of one partner's settlements by their status, of all partners' closed ones by period and currency: another choice ends what is not shown. */
function SettlementFilters() {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const { not_answered: pending, accepted, disputed, open, closed } = useTexts(STATUS);
  const { filters, setFilters } = useFilters(FILTERS);
  const { partner, period, currency } = filters;
  return (
    <Filters names={partner ? ['partner', 'answer', 'status'] : ['answer', 'period', 'currency']}>
      <PartnerFilter
        value={partner}
        onChange={(id) =>
          setFilters({ partner: id, ...(id ? { period: undefined, currency: undefined } : { status: undefined }) })
        }
      />
      <ChoiceFilter
        label={t.answer}
        options={{ pending, accepted, disputed }}
        value={filters.answer}
        onChange={(answer) => setFilters({ answer })}
      />
      {partner && (
        <ChoiceFilter
          label={common.status}
          options={{ open, closed }}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
      )}
      {!partner && (
        <>
          <PeriodFilter value={period} onChange={(text) => setFilters({ period: text })} />
          <CurrencyFilter value={currency} onChange={(chosen) => setFilters({ currency: chosen })} />
        </>
      )}
    </Filters>
  );
}

export function SettlementList() {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const { filters, isFiltered } = useFilters(FILTERS);
  const { partner, period, currency } = filters;
  const month = monthOf(period);
  const acknowledgement = filters.answer as Answer | undefined;
  const ofOne = useSort(['period'], '-period');
  const ofAll = useSort(currency ? ['closed_at', 'net_points', 'payable_amount'] : ['closed_at', 'net_points'], '-closed_at');
  const sorting = partner ? ofOne.sorting : ofAll.sorting;
  const wantedOfOne = present({ sort: ofOne.sort, acknowledgement, status: filters.status as 'open' | 'closed' | undefined });
  const wanted = present({ sort: ofAll.sort, acknowledgement, period, currency });
  const query = usePages(['settlements', partner, partner ? wantedOfOne : wanted], (place) =>
    partner
      ? answerOf(
          client.GET('/operator/v1/partners/{partner_id}/settlements', {
            params: { path: { partner_id: partner }, query: { ...wantedOfOne, ...place } },
          }),
        )
      : answerOf(client.GET('/operator/v1/settlements', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={partner ? t.helpOfOne : t.help}>
      <SettlementFilters />
      {!partner && month && <MonthTotals month={month} />}
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={partner ? csvAddress(pathOf`partners/${partner}/settlements`, wantedOfOne) : csvAddress('settlements', wanted)}
        rowsOf={({ settlements }) => settlements}
        keyOf={({ settlement_id }) => settlement_id}
        linkOf={({ partner_id, settlement_id }) => `/settlements/${partner_id}/${settlement_id}`}
        empty={<EmptyList isFiltered={isFiltered} texts={t} icon="coins" />}
        columns={[
          ...(partner ? [] : [{ label: common.partner, show: ({ partner_id }: Settlement) => <PartnerLink id={partner_id} /> }]),
          {
            label: t.period,
            isName: true,
            ...(partner && { sort: 'period' }),
            show: ({ period_label, period_start, period_end, period_timezone: zone }) => (
              <Period label={period_label} from={period_start} until={period_end} zone={zone} />
            ),
          },
          ...(partner ? [{ label: common.status, show: ({ status }: Settlement) => <StatusBadge status={status} /> }] : []),
          {
            label: t.netPoints,
            isFigure: true,
            ...(!partner && { sort: 'net_points' }),
            show: ({ net_points }) => <Points value={net_points} />,
          },
          { label: t.payablePoints, isFigure: true, show: ({ payable_points }) => <Points value={payable_points} /> },
          {
            label: t.payableAmount,
            isFigure: true,
            isGiven: ({ payable_amount }) => payable_amount !== null,
            ...(!partner && currency && { sort: 'payable_amount' }),
            show: ({ payable_amount, currency }) => <Money amount={payable_amount} currency={currency} />,
          },
          {
            label: t.closedAt,
            ...(!partner && { sort: 'closed_at' }),
            show: ({ closed_at, period_timezone }) => <Time at={closed_at} zone={period_timezone} />,
          },
          {
            label: t.answer,
            show: (settlement) => (settlement.status === 'closed' ? <AnswerBadge settlement={settlement} /> : <Absent />),
          },
        ]}
      />
    </Page>
  );
}
