import { Button, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { isolateForeign } from '../../format/isolate.ts';
import { formatWhole } from '../../format/points.ts';
import { formatTime } from '../../format/time.ts';
import { Page } from '../../layout/page.tsx';
import { AddressLink } from '../../parts/address-link.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, PartnerTime, usePartner } from '../../parts/partner.tsx';
import { Person } from '../../parts/person.tsx';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Age, Foreign, Id, Money, Points, Time } from '../../parts/values.tsx';
import { useMay } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { REVIEW_REASON } from '../../texts/record-texts.ts';
import { CONTRIBUTION } from '../contributions/contribution-texts.ts';
import { RULE } from '../rules/rule-texts.ts';
import { DecideDialog, type WantedDecision } from './decide-dialog.tsx';
import { REVIEW } from './review-texts.ts';

type Detail = components['schemas']['ReviewDetail'];

export function ReviewPage() {
  const t = useTexts(REVIEW);
  const { partnerId = '', transactionId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, transaction_id: transactionId };
  const mayDecide = useMay('operator');
  const [wanted, setWanted] = useState<WantedDecision>();
  const review = useQuery({
    queryKey: ['review', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/reviews/{transaction_id}', { params: { path } })),
  });
  const isOpen = review.data?.contribution.status === 'pending';
  const decide = (decision: WantedDecision['decision']) => {
    if (review.data) setWanted({ decision, contributions: [review.data.contribution] });
  };
  return (
    <Page
      title={review.data ? t.of(isolateForeign(review.data.contribution.partner_order_ref)) : t.detail}
      description={<Id id={transactionId} />}
      actions={
        mayDecide &&
        isOpen && (
          <>
            <Button onClick={() => decide('confirm')}>{t.confirm}</Button>
            <Button variant="light" color="red" onClick={() => decide('fail')}>
              {t.fail}
            </Button>
          </>
        )
      }
    >
      <Loaded query={review}>
        {(detail) => (
          <>
            <ReviewDetail detail={detail} isOpen={mayDecide && isOpen} />
            <DecideDialog wanted={wanted} onClose={() => setWanted(undefined)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ReviewDetail({ detail, isOpen }: { readonly detail: Detail; readonly isOpen: boolean }) {
  const t = useTexts(REVIEW);
  const { none } = useTexts(COMMON);
  const { contribution } = detail;
  const others = detail.order_history.filter(({ transaction_id }) => transaction_id !== contribution.transaction_id);
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        {isOpen && <Text size="sm">{t.effect}</Text>}
        <ReviewFacts detail={detail} />
      </Stack>
      {detail.day ? (
        <Day day={detail.day} isCounted={contribution.status !== 'failed'} />
      ) : (
        <Section title={t.limits}>
          <Text size="sm">{t.noDay}</Text>
        </Section>
      )}
      <Section title={t.history}>{others.length > 0 ? <OrderHistory contributions={others} /> : <Text>{none}</Text>}</Section>
    </Stack>
  );
}

function ReviewFacts({ detail }: { readonly detail: Detail }) {
  const t = useTexts(REVIEW);
  const common = useTexts(COMMON);
  const reasons = useTexts(REVIEW_REASON);
  const rule = useTexts(RULE);
  const { contribution, partner_name, reason, opened_at, expires_at, resolved_at, resolved_by, resolution_reason } = detail;
  const { partner_id } = contribution;
  const zone = usePartner(partner_id).data?.time_zone;
  const words = useTexts(CONTRIBUTION);
  const worth = useWorth(contribution);
  const decided = [
    { label: t.decidedAt, value: <Time at={resolved_at} zone={zone} /> },
    { label: t.decidedBy, value: resolved_by === null ? <Absent /> : <Person id={resolved_by} /> },
    { label: common.reason, value: <Foreign text={resolution_reason} isWhole /> },
  ];
  return (
    <Facts
      columns={3}
      lead={[
        { label: common.points, value: <Points value={contribution.points} /> },
        ...(worth ? [{ label: words.worth, value: <Money amount={worth.amount} currency={worth.currency} /> }] : []),
        { label: common.status, value: <StatusBadge status={contribution.status} /> },
      ]}
      facts={[
        { label: common.partner, value: <PartnerLink id={partner_id} name={partner_name} /> },
        { label: common.order, value: <Foreign text={contribution.partner_order_ref} isWhole /> },
        {
          label: common.contribution,
          value: <AddressLink to={`/contributions/${partner_id}/${contribution.transaction_id}`}>{t.timeline}</AddressLink>,
        },
        { label: t.reason, value: reasons[reason] },
        {
          label: rule.reviewThreshold,
          value: detail.review_threshold === null ? <Absent /> : rule.fromThreshold(detail.review_threshold),
        },
        { label: common.recorded, value: <Time at={opened_at} zone={zone} /> },
        { label: common.expires, value: <Expiry at={expires_at} zone={zone} isOpen={resolved_at === null} /> },
        { label: common.correlationId, value: <Id id={detail.correlation_id} isShort /> },
        ...(resolved_at ? decided : []),
      ]}
    />
  );
}

/** The value of the contribution's points; `undefined` where they have none, or the contribution failed. */
function useWorth({ partner_id, transaction_id, status }: Detail['contribution']) {
  const path = { partner_id, transaction_id };
  const { data } = useQuery({
    queryKey: ['contribution', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}', { params: { path } })),
  });
  return data && data.amount !== null && status !== 'failed' ? data : undefined;
}

interface ExpiryProps {
  readonly at: string;
  readonly zone: string | undefined;
  readonly isOpen: boolean;
}

/** When it fails by itself, and how soon that is while somebody can decide. */
function Expiry({ at, zone, isOpen }: ExpiryProps) {
  if (!isOpen) return <Time at={at} zone={zone} />;
  return <TwoLines first={<Time at={at} zone={zone} />} second={<Age at={at} />} />;
}

interface DayProps {
  readonly day: NonNullable<Detail['day']>;
  /** Whether the contribution counts on it: until it fails. */
  readonly isCounted: boolean;
}

function Day({ day, isCounted }: DayProps) {
  const t = useTexts(REVIEW);
  const { points } = useTexts(COMMON);
  const { language } = useLanguage();
  // A day of the partner's calendar, of which the noon is the same day in UTC.
  const named = formatTime(`${day.day}T12:00:00Z`, { language, zone: 'UTC', style: 'day' });
  return (
    <Section title={t.day(named)}>
      {isCounted && (
        <Text size="sm" c="dimmed" mb="sm">
          {t.isCounted}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <CapUse label={points} used={day.points} cap={day.daily_points_cap} />
        <CapUse label={t.contributions} used={day.contributions} cap={day.daily_count_cap} />
      </SimpleGrid>
    </Section>
  );
}

/** How much of a cap is used: what counts confirmed and pending contributions alike. */
function CapUse({ label, used, cap }: { readonly label: string; readonly used: string; readonly cap: string | null }) {
  const t = useTexts(REVIEW);
  const percent = cap === null || cap === '0' ? 0n : (BigInt(used) * 100n) / BigInt(cap);
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600}>{t.used(formatWhole(used), cap === null ? undefined : formatWhole(cap))}</Text>
      {cap !== null && (
        <Progress value={Math.min(100, +percent.toString())} color={percent > 100n ? 'red' : 'forest'} aria-label={label} />
      )}
    </Stack>
  );
}

function OrderHistory({ contributions }: { readonly contributions: Detail['order_history'] }) {
  const t = useTexts(REVIEW);
  const common = useTexts(COMMON);
  return (
    <Records
      label={t.history}
      rows={contributions}
      keyOf={({ transaction_id }) => transaction_id}
      linkOf={({ partner_id, transaction_id }) => `/contributions/${partner_id}/${transaction_id}`}
      empty={null}
      columns={[
        { label: common.contribution, show: ({ transaction_id }) => <Id id={transaction_id} isShort /> },
        { label: common.status, show: ({ status }) => <StatusBadge status={status} /> },
        { label: common.points, isFigure: true, show: ({ points }) => <Points value={points} /> },
        { label: common.recorded, show: ({ partner_id, created_at }) => <PartnerTime partnerId={partner_id} at={created_at} /> },
      ]}
    />
  );
}
