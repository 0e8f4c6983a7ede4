import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { isolate } from '../../format/isolate.ts';
import { formatMoney, formatWhole } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { AnswerBadge, StatusBadge } from '../../parts/badges.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerWithId, usePartner } from '../../parts/partner.tsx';
import { PeriodLabel } from '../../parts/period.tsx';
import { Person } from '../../parts/person.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Foreign, Id, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT_REASON } from '../../texts/record-texts.ts';
import { useSettlement } from '../settlements/use-settlement.ts';
import { type Detail, isWithdrawn, useChangeFacts } from './adjustment-change.tsx';
import { AdjustmentSteps } from './adjustment-steps.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';
import { BeforeAfter } from './before-after.tsx';
import { isImpossible, NotPossible } from './not-possible.tsx';
import { useSettlementRows } from './settlement-rows.ts';

export function AdjustmentPage() {
  const t = useTexts(ADJUSTMENT);
  const { partnerId = '', adjustmentId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, adjustment_id: adjustmentId };
  const adjustment = useQuery({
    queryKey: ['adjustment', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/adjustments/{adjustment_id}', { params: { path } })),
  });
  return (
    <Page
      title={t.detail}
      id={adjustmentId}
      description={<Id id={adjustmentId} />}
      actions={adjustment.data && <AdjustmentSteps detail={adjustment.data} />}
    >
      <Loaded query={adjustment}>{(detail) => <AdjustmentDetail detail={detail} />}</Loaded>
    </Page>
  );
}

function AdjustmentDetail({ detail }: { readonly detail: Detail }) {
  return (
    <Stack gap="xl">
      {isImpossible(detail) && <NotPossible detail={detail} />}
      <AdjustmentFacts detail={detail} />
      {!isImpossible(detail) && <Effect detail={detail} />}
    </Stack>
  );
}

/** Of the contribution and of the settlement, before and after. */
function Effect({ detail }: { readonly detail: Detail }) {
  const t = useTexts(ADJUSTMENT);
  const { adjustment, effect, settlement, currency } = detail;
  const { net, payable, carried } = useSettlementRows(settlement, currency);
  return (
    <>
      {effect && (
        <Section title={t.effect}>
          <BeforeAfter
            rows={[
              { label: t.settledPoints, before: effect.settled_points_before, after: effect.settled_points_after },
              { label: t.settledAmount, before: effect.settled_amount_before, after: effect.settled_amount_after, currency },
            ]}
          />
          {/* Only a restatement states an amount. */}
          {adjustment.amount_delta !== null && effect.settled_amount_max !== null && (
            <Text size="sm" c="dimmed" mt="sm">
              {t.atMost(formatWhole(effect.settled_points_after), isolate(formatMoney(effect.settled_amount_max, currency)))}
            </Text>
          )}
        </Section>
      )}
      {settlement?.before && settlement.after && (
        <Section title={t.settlement(settlement.period_label)}>
          <BeforeAfter rows={[net, payable, carried].flat()} />
        </Section>
      )}
    </>
  );
}

function AdjustmentFacts({ detail }: { readonly detail: Detail }) {
  const { adjustment } = detail;
  const t = useTexts(ADJUSTMENT);
  const common = useTexts(COMMON);
  const reasons = useTexts(ADJUSTMENT_REASON);
  const zone = usePartner(adjustment.partner_id).data?.time_zone;
  const { original_settlement_id } = adjustment;
  const settled = useSettlement({
    partner_id: adjustment.partner_id,
    settlement_id: original_settlement_id ?? undefined,
  }).data;
  const change = useChangeFacts(detail);
  const contribution = `/contributions/${adjustment.partner_id}/${adjustment.transaction_id}`;
  const steps = [
    { label: t.draftedBy, by: adjustment.drafted_by, at: adjustment.drafted_at },
    { label: t.approvedBy, by: adjustment.approved_by, at: adjustment.approved_at },
    { label: isWithdrawn(adjustment) ? t.withdrawnBy : t.rejectedBy, by: adjustment.rejected_by, at: adjustment.rejected_at },
    { label: t.postedBy, by: adjustment.posted_by, at: adjustment.posted_at },
  ];
  return (
    <Facts
      columns={3}
      facts={[
        { label: common.status, value: <StatusBadge status={adjustment.status} /> },
        { label: common.partner, value: <PartnerWithId id={adjustment.partner_id} /> },
        { label: common.order, value: <AddressLink to={contribution}>{adjustment.partner_order_ref}</AddressLink> },
        ...(settled ? [{ label: t.settledIn, value: <SettledIn settlement={settled} /> }] : []),
        ...change,
        { label: t.why, value: reasons[adjustment.reason_code] },
        { label: t.reasonEn, value: <Foreign text={adjustment.reason_en} isWhole /> },
        { label: t.reasonAr, value: <Foreign text={adjustment.reason_ar} isWhole /> },
        ...(adjustment.beyond_worth_reason === null
          ? []
          : [{ label: t.beyondWorth, value: <Foreign text={adjustment.beyond_worth_reason} isWhole /> }]),
        ...(adjustment.rejection_reason === null
          ? []
          : [
              {
                label: isWithdrawn(adjustment) ? t.whyWithdrawn : t.whyRejected,
                value: <Foreign text={adjustment.rejection_reason} isWhole />,
              },
            ]),
        ...steps.flatMap(({ label, by, at }) => (by ? [{ label, value: <Step by={by} at={at} zone={zone} /> }] : [])),
      ]}
    />
  );
}

/** With the dispute that the adjustment may answer. */
function SettledIn({ settlement }: { readonly settlement: components['schemas']['Settlement'] }) {
  const { partner_id, settlement_id, period_label, acknowledgement } = settlement;
  return (
    <>
      <AddressLink to={`/settlements/${partner_id}/${settlement_id}`}>
        <PeriodLabel label={period_label} />
      </AddressLink>{' '}
      {acknowledgement.status === 'disputed' && <AnswerBadge settlement={settlement} />}
    </>
  );
}

function Step({ by, at, zone }: { readonly by: string; readonly at: string | null; readonly zone: string | undefined }) {
  return (
    <>
      <Person id={by} /> <Time at={at} zone={zone} />
    </>
  );
}
