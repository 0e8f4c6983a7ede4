import { Badge, Group } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { present } from '../../api/present.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { Page } from '../../layout/page.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { AnswerBadge } from '../../parts/badges.tsx';
import { Filters, TextFilter } from '../../parts/filters.tsx';
import { Period, PeriodLabel } from '../../parts/period.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Age, Foreign } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { CLOSING } from './closing-texts.ts';
import { CountToDecide } from './count-to-decide.tsx';
import { DisputedSettlements } from './disputed-settlements.tsx';

type Closing = components['schemas']['Closing'];

/** Every partner with what counts before its settlement closes; a row leads to its checklist. */
export function ClosingList() {
  const t = useTexts(CLOSING);
  const common = useTexts(COMMON);
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['name']);
  const { sort, sorting } = useSort(['created_at', 'name'], 'created_at');
  const wanted = present({ sort, name: filters.name });
  const query = usePages(['closings', wanted], (place) =>
    answerOf(client.GET('/operator/v1/closings', { params: { query: { ...wanted, ...place } } })),
  );
  return (
    <Page title={t.title} description={t.help}>
      <Filters names={filterNames}>
        <TextFilter label={common.partner} isSearch value={filters.name} onChange={(name) => setFilters({ name })} width={300} />
      </Filters>
      <RecordPages
        label={t.title}
        query={query}
        sorting={sorting}
        csv={csvAddress('closings', wanted)}
        rowsOf={({ closings }) => closings}
        keyOf={({ partner_id }) => partner_id}
        linkOf={checklistOf}
        empty={<Empty title={isFiltered ? common.nothingFits : t.noPartner} icon="building" />}
        columns={[
          {
            label: common.partner,
            sort: 'name',
            sortKind: 'name',
            show: (closing) => (
              <AddressLink to={checklistOf(closing)} className="row-anchor">
                <Foreign text={closing.name} />
              </AddressLink>
            ),
          },
          { label: t.period, show: ({ open_settlement: open }) => (open ? <PeriodOf settlement={open} /> : t.noneOpen) },
          { label: t.ends, show: ({ open_settlement: open }) => <End at={open?.period_end} /> },
          {
            label: t.pending,
            isFigure: true,
            show: ({ partner_id, pending_contributions: left }) => (
              <CountToDecide left={left} to={`/reviews?partner=${partner_id}`} />
            ),
          },
          {
            label: t.drafts,
            isFigure: true,
            show: ({ partner_id, adjustments_to_approve: left }) => (
              <CountToDecide left={left} to={`/adjustments?partner=${partner_id}&status=draft`} />
            ),
          },
          {
            label: t.approved,
            isFigure: true,
            show: ({ partner_id, adjustments_to_post: left }) => (
              <CountToDecide left={left} to={`/adjustments?partner=${partner_id}&status=approved`} />
            ),
          },
          { label: t.disputed, show: (closing) => <DisputedSettlements closing={closing} /> },
          { label: t.last, show: ({ last_settlement: last }) => (last ? <Last settlement={last} /> : <Absent />) },
        ]}
      />
    </Page>
  );
}

/** Where the whole row leads; the page has a link to the partner. */
function checklistOf({ partner_id, open_settlement: open }: Closing): string {
  return open ? `/settlements/${partner_id}/${open.settlement_id}` : `/settlements?partner=${partner_id}`;
}

function PeriodOf({ settlement }: { readonly settlement: NonNullable<Closing['open_settlement']> }) {
  const { period_label, period_start, period_end, period_timezone } = settlement;
  return <Period label={period_label} from={period_start} until={period_end} zone={period_timezone} />;
}

function End({ at }: { readonly at: string | undefined }) {
  const t = useTexts(CLOSING);
  const isOverdue = at !== undefined && Date.parse(at) + OVERDUE_MS < serviceNow();
  return isOverdue ? <Badge color="red">{t.overdue}</Badge> : <Age at={at} />;
}

/** The schedule closes five minutes after the end, and needs a moment. */
const OVERDUE_MS = 15 * 60_000;

function Last({ settlement }: { readonly settlement: NonNullable<Closing['last_settlement']> }) {
  const t = useTexts(CLOSING);
  const { partner_id, settlement_id, period_label, net_points } = settlement;
  return (
    <TwoLines
      first={
        <Group gap="4px 6px">
          <AddressLink to={`/settlements/${partner_id}/${settlement_id}`}>
            <PeriodLabel label={period_label} />
          </AddressLink>
          <AnswerBadge settlement={settlement} />
        </Group>
      }
      second={t.netOf(net_points)}
    />
  );
}
