import { Stack } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { pathOf } from '../../api/path-of.ts';
import { present } from '../../api/present.ts';
import { usePages } from '../../api/use-pages.ts';
import { useFilters } from '../../app/use-filters.ts';
import { useSort } from '../../app/use-sort.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { Filters } from '../../parts/filters.tsx';
import { PartnerFilter, PartnerLink, PartnerTime } from '../../parts/partner.tsx';
import { Period } from '../../parts/period.tsx';
import { type Column, RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Points, Total } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';

export type Poolable = components['schemas']['PoolableSettlement'];

/**
 * What a settlement brings into a batch.
 *
 * @param sort Of the list: those that wait for a batch are in the order of their close.
 */
export function usePoolableColumns(sort: 'closed_at' | 'partner_id'): readonly Column<Poolable>[] {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  return [
    {
      label: common.partner,
      ...(sort === 'partner_id' && { sort, sortKind: 'name' }),
      show: ({ partner_id, partner_name }) => <PartnerLink id={partner_id} name={partner_name ?? undefined} />,
    },
    {
      label: t.period,
      isName: true,
      show: ({ period_label, period_start, period_end, period_timezone: zone, acknowledgement }) => (
        <Period label={period_label} from={period_start} until={period_end} zone={zone}>
          {acknowledgement === 'disputed' && <StatusBadge status="disputed" />}
        </Period>
      ),
    },
    {
      label: t.closedAt,
      ...(sort === 'closed_at' && { sort }),
      show: ({ partner_id, closed_at }) => <PartnerTime partnerId={partner_id} at={closed_at} style="day" />,
    },
    { label: t.contributions, isFigure: true, show: ({ contribution_count }) => <Points value={contribution_count} /> },
    { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
    {
      label: t.payable,
      isFigure: true,
      isGiven: ({ amount }) => amount !== null,
      show: ({ amount, currency, minor_units }) => <Total amount={amount} currency={currency} minorUnits={minor_units} />,
    },
    {
      label: t.paysTrees,
      isFigure: true,
      isGiven: ({ trees }: Poolable) => trees !== null,
      show: ({ trees }) => <Points value={trees} />,
    },
  ];
}

export function PooledSettlements({ batchId }: { readonly batchId: string }) {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  const columns = usePoolableColumns('partner_id');
  const path = { impact_batch_id: batchId };
  const { filterNames, filters, isFiltered, setFilters } = useFilters(['of']);
  const { sort, sorting } = useSort(['partner_id'], 'partner_id', 'pooled');
  const wanted = present({ sort, partner_id: filters.of });
  const query = usePages(['impact-batch-settlements', batchId, wanted], (place) =>
    answerOf(
      client.GET('/operator/v1/impact-batches/{impact_batch_id}/settlements', {
        params: { path, query: { ...wanted, ...place } },
      }),
    ),
  );
  return (
    <Stack gap="sm">
      <Filters names={filterNames}>
        <PartnerFilter value={filters.of} onChange={(of) => setFilters({ of })} />
      </Filters>
      <RecordPages
        label={t.settlements}
        query={query}
        sorting={sorting}
        csv={csvAddress(pathOf`impact-batches/${batchId}/settlements`, wanted)}
        rowsOf={({ settlements }) => settlements}
        keyOf={({ settlement_id }) => settlement_id}
        linkOf={({ partner_id, settlement_id }) => `/settlements/${partner_id}/${settlement_id}`}
        empty={<Empty title={isFiltered ? common.nothingFits : t.noSettlements} icon="coins" />}
        columns={columns}
      />
    </Stack>
  );
}
