/** On the page of a partner: what is open, what waits to be decided, and what became of the settlement before. */
import type { components } from '../../api/operator-types.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { AnswerBadge } from '../../parts/badges.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Age, Money, Points, Time } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { useClosing } from '../closings/closing-checklist.tsx';
import { CLOSING } from '../closings/closing-texts.ts';
import { CountToDecide } from '../closings/count-to-decide.tsx';
import { DisputedSettlements } from '../closings/disputed-settlements.tsx';
import { useSettlement } from '../settlements/use-settlement.ts';
import { PARTNER } from './partner-texts.ts';

type Closing = components['schemas']['Closing'];
type Figures = Pick<components['schemas']['Settlement'], 'net_points' | 'net_amount' | 'currency'>;

export function PartnerNow({ partnerId, zone }: { readonly partnerId: string; readonly zone: string }) {
  const t = useTexts(PARTNER);
  const closing = useClosing(partnerId);
  return (
    <Section title={t.now}>
      <Loaded query={closing}>{(record) => <Now closing={record} zone={zone} />}</Loaded>
    </Section>
  );
}

function Now({ closing, zone }: { readonly closing: Closing; readonly zone: string }) {
  const t = useTexts(CLOSING);
  const own = useTexts(PARTNER);
  const { partner_id, open_settlement: open, last_settlement: last } = closing;
  const settlement = useSettlement({ partner_id, settlement_id: open?.settlement_id });
  const period = (id: string, label: string) => (
    <AddressLink to={`/settlements/${partner_id}/${id}`} className="text-link">
      <bdi dir="ltr">{label}</bdi>
    </AddressLink>
  );
  return (
    <Facts
      columns={3}
      facts={[
        { label: own.openSettlement, value: open ? period(open.settlement_id, open.period_label) : t.noneOpen },
        {
          label: own.soFar,
          value: open ? <Loaded query={settlement}>{(figures) => <PointsAndMoney figures={figures} />}</Loaded> : <Absent />,
        },
        {
          label: t.ends,
          value: open ? (
            <TwoLines first={<Time at={open.period_end} zone={zone} />} second={<Age at={open.period_end} />} />
          ) : (
            <Absent />
          ),
        },
        { label: t.pending, value: <CountToDecide left={closing.pending_contributions} to={`/reviews?partner=${partner_id}`} /> },
        {
          label: t.drafts,
          value: <CountToDecide left={closing.adjustments_to_approve} to={`/adjustments?partner=${partner_id}&status=draft`} />,
        },
        {
          label: t.approved,
          value: <CountToDecide left={closing.adjustments_to_post} to={`/adjustments?partner=${partner_id}&status=approved`} />,
        },
        ...(closing.disputed_settlements.settlements.length > 0
          ? [{ label: t.disputed, value: <DisputedSettlements closing={closing} /> }]
          : []),
        { label: own.lastSettlement, value: last ? period(last.settlement_id, last.period_label) : <Absent /> },
        { label: own.settled, value: <PointsAndMoney figures={last ?? undefined} /> },
        { label: own.answer, value: last ? <AnswerBadge settlement={last} /> : <Absent /> },
      ]}
    />
  );
}

/** Net points, with their amount where they have one. */
function PointsAndMoney({ figures }: { readonly figures: Figures | undefined }) {
  if (!figures) return <Absent />;
  const { net_points, net_amount, currency } = figures;
  const points = <Points value={net_points} />;
  return net_amount === null ? points : <TwoLines first={points} second={<Money amount={net_amount} currency={currency} />} />;
}
