import { Text } from '@mantine/core';
import { answerOf, client } from '../../api/client.ts';
import { csvAddress } from '../../api/csv-address.ts';
import type { components } from '../../api/operator-types.ts';
import { usePages } from '../../api/use-pages.ts';
import { AddressLink } from '../../parts/address-link.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { PartnerTime } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { RecordPages } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Foreign, Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT_REASON } from '../../texts/record-texts.ts';
import { ADJUSTMENT } from '../adjustments/adjustment-texts.ts';
import { AdjustmentLinesLink } from './settlement-lines.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

interface OfSettlement {
  readonly partnerId: string;
  readonly settlementId: string;
}

/** Adjustments of the contributions that have their line on a settlement. */
export function useAdjustmentsOf({ partnerId, settlementId }: OfSettlement) {
  const wanted = { partner_id: partnerId, settlement_id: settlementId };
  return usePages(['adjustments-of', wanted], (place) =>
    answerOf(client.GET('/operator/v1/adjustments', { params: { query: { ...wanted, ...place } } })),
  );
}

export function SettlementAdjustments({ settlement }: { readonly settlement: components['schemas']['Settlement'] }) {
  const { partner_id: partnerId, settlement_id: settlementId } = settlement;
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const adjustment = useTexts(ADJUSTMENT);
  const reasons = useTexts(ADJUSTMENT_REASON);
  const query = useAdjustmentsOf({ partnerId, settlementId });
  return (
    <Section
      title={t.adjustmentsOf}
      actions={
        <AddressLink to={`/adjustments?partner=${partnerId}&settlement=${settlementId}`}>{t.openInAdjustments}</AddressLink>
      }
    >
      <Text size="sm" c="dimmed" mb="sm">
        {t.adjustmentsHelp} <AdjustmentLinesLink settlement={settlement} />
      </Text>
      <RecordPages
        label={t.adjustmentsOf}
        query={query}
        csv={csvAddress('adjustments', { partner_id: partnerId, settlement_id: settlementId })}
        rowsOf={({ adjustments }) => adjustments}
        keyOf={({ adjustment_id }) => adjustment_id}
        linkOf={({ partner_id, adjustment_id }) => `/adjustments/${partner_id}/${adjustment_id}`}
        empty={<Empty title={t.noAdjustment} icon="scales" />}
        columns={[
          { label: common.order, isName: true, show: ({ partner_order_ref }) => <Foreign text={partner_order_ref} /> },
          { label: adjustment.change, isFigure: true, show: ({ points_delta }) => <Points value={points_delta} /> },
          {
            label: adjustment.changeAmount,
            isFigure: true,
            isGiven: ({ amount }) => amount !== null,
            show: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
          { label: adjustment.why, show: ({ reason_code }) => reasons[reason_code] },
          { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
          {
            label: adjustment.drafted,
            show: ({ drafted_at, drafted_by }) => (
              <TwoLines first={<PartnerTime partnerId={partnerId} at={drafted_at} />} second={<Person id={drafted_by} />} />
            ),
          },
        ]}
      />
    </Section>
  );
}
