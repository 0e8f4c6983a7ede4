import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { usePages } from '../../api/use-pages.ts';
import { PartnerLink } from '../../parts/partner.tsx';
import { type Column, RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Money, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { IMPACT } from './impact-texts.ts';

export type Poolable = components['schemas']['PoolableSettlement'];

/** What a settlement brings into a batch. */
export function usePoolableColumns(): readonly Column<Poolable>[] {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  return [
    {
      label: common.partner,
      show: ({ partner_id, partner_name }) => <PartnerLink id={partner_id} name={partner_name ?? undefined} />,
    },
    { label: t.period, show: ({ period_label }) => <bdi dir="ltr">{period_label}</bdi> },
    { label: t.closedAt, sort: 'closed_at', show: ({ closed_at }) => <Time at={closed_at} style="day" /> },
    { label: t.contributions, isFigure: true, show: ({ contribution_count }) => <Points value={contribution_count} /> },
    { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
    { label: common.amount, isFigure: true, show: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
    { label: t.paysTrees, isFigure: true, show: ({ trees }) => <Points value={trees} /> },
  ];
}

export function PooledSettlements({ batchId }: { readonly batchId: string }) {
  const t = useTexts(IMPACT);
  const columns = usePoolableColumns();
  const path = { impact_batch_id: batchId };
  const query = usePages(['impact-batch-settlements', batchId], (place) =>
    answerOf(client.GET('/operator/v1/impact-batches/{impact_batch_id}/settlements', { params: { path, query: place } })),
  );
  return (
    <RecordPages
      label={t.settlements}
      query={query}
      rowsOf={({ settlements }) => settlements}
      keyOf={({ settlement_id }) => settlement_id}
      linkOf={({ partner_id, settlement_id }) => `/settlements/${partner_id}/${settlement_id}`}
      empty={<Empty title={t.noSettlements} icon="coins" />}
      columns={columns}
    />
  );
}
