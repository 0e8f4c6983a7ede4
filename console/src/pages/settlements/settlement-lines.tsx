import { answerOf, client } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { RecordPages } from '../../parts/records.tsx';
import { Empty } from '../../parts/state.tsx';
import { Foreign, Id, Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { LINE_KIND, SETTLEMENT } from './settlement-texts.ts';

export function SettlementLines({ partnerId, settlementId }: { readonly partnerId: string; readonly settlementId: string }) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const kinds = useTexts(LINE_KIND);
  const path = { partner_id: partnerId, settlement_id: settlementId };
  const query = usePages(['lines', path], (place) =>
    answerOf(
      client.GET('/operator/v1/partners/{partner_id}/settlements/{settlement_id}/lines', { params: { path, query: place } }),
    ),
  );
  return (
    <RecordPages
      label={t.lines}
      query={query}
      rowsOf={({ lines }) => lines}
      keyOf={({ line_no }) => String(line_no)}
      empty={<Empty title={t.noLines} icon="coins" />}
      columns={[
        { label: t.line, isFigure: true, show: ({ line_no }) => <Points value={String(line_no)} /> },
        { label: t.kind, show: ({ line_type }) => kinds[line_type] },
        { label: common.order, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
        { label: common.contribution, show: ({ transaction_id }) => <Id id={transaction_id} isShort /> },
        { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
        { label: common.amount, isFigure: true, show: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
      ]}
    />
  );
}
