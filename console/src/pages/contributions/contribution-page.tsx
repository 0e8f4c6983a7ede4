import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { addWhole } from '../../format/points.ts';
import { Page } from '../../layout/page.tsx';
import { StatusBadge } from '../../parts/badges.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PartnerLink, usePartner } from '../../parts/partner.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Foreign, Id, Money, Points, Time } from '../../parts/values.tsx';
import { useMay, useSession } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from '../adjustments/adjustment-texts.ts';
import { DraftDialog } from '../adjustments/draft-dialog.tsx';
import { UndecidedAdjustments, useTimeline } from '../adjustments/undecided.tsx';
import { REVIEW } from '../reviews/review-texts.ts';
import { CONTRIBUTION } from './contribution-texts.ts';
import { ContributionTimeline } from './contribution-timeline.tsx';

type Contribution = components['schemas']['Contribution'];
type Entry = components['schemas']['TimelineEntry'];

const MS_PER_DAY = 86_400_000;

export function ContributionPage() {
  const t = useTexts(CONTRIBUTION);
  const { partnerId = '', transactionId = '' } = useParams({ strict: false });
  const path = { partner_id: partnerId, transaction_id: transactionId };
  const contribution = useQuery({
    queryKey: ['contribution', path],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/contributions/{transaction_id}', { params: { path } })),
  });
  const timeline = useTimeline(path);
  const zone = usePartner(partnerId).data?.time_zone;
  return (
    <Page
      title={contribution.data?.partner_order_ref ?? t.facts}
      description={<Id id={transactionId} />}
      actions={contribution.data && <Actions contribution={contribution.data} />}
    >
      <Loaded query={contribution}>
        {(record) => (
          <Stack gap="xl">
            <UndecidedAdjustments contribution={path} />
            <ContributionFacts record={record} entries={timeline.data?.entries ?? []} zone={zone} />
            {/* Of what failed, it is true no more. */}
            {record.status !== 'failed' && <Supports record={record} />}
            <Section id="timeline" title={t.timeline}>
              <RemovedEvents record={record} />
              <Loaded query={timeline}>
                {({ entries }) => <ContributionTimeline partnerId={partnerId} entries={entries} zone={zone} />}
              </Loaded>
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

/** Why the events of an old contribution are not among what happened to it. */
function RemovedEvents({ record: { created_at } }: { readonly record: Contribution }) {
  const t = useTexts(CONTRIBUTION);
  const { eventDays } = useSession();
  if (eventDays === undefined || serviceNow() - Date.parse(created_at) < eventDays * MS_PER_DAY) return null;
  return (
    <Text size="sm" c="dimmed" mb="sm">
      {t.eventsRemoved(eventDays)}
    </Text>
  );
}

/** What is the next step of it. */
function Actions({ contribution }: { readonly contribution: Contribution }) {
  const { open } = useTexts(REVIEW);
  const { status, partner_id, transaction_id } = contribution;
  if (status === 'confirmed') return <DraftAdjustment contribution={contribution} />;
  if (status !== 'pending') return null;
  const address: string = `/reviews/${partner_id}/${transaction_id}`;
  return (
    <Button component={Link} to={address}>
      {open}
    </Button>
  );
}

function DraftAdjustment({ contribution }: { readonly contribution: Contribution }) {
  const t = useTexts(ADJUSTMENT);
  const [isOpen, setOpen] = useState(false);
  if (!useMay('operator')) return null;
  const { partner_id, transaction_id } = contribution;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t.draft}
      </Button>
      <DraftDialog contribution={{ partner_id, transaction_id }} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

interface ContributionFactsProps {
  readonly record: Contribution;
  readonly entries: readonly Entry[];
  readonly zone: string | undefined;
}

function ContributionFacts({ record, entries, zone }: ContributionFactsProps) {
  const t = useTexts(CONTRIBUTION);
  const common = useTexts(COMMON);
  const endedAt = record.confirmed_at ?? record.failed_at;
  const changes = postedChanges(entries);
  const last = entries.findLast(({ kind }) => kind === 'adjustment_posted')?.subject_id;
  const net = addWhole([record.points, ...changes]);
  const ended = record.failed_at ? t.failedAt : t.confirmedAt;
  return (
    <Facts
      columns={3}
      lead={[
        { label: common.points, value: <Points value={record.points} /> },
        // What failed is worth nothing to anybody.
        ...(record.amount === null || record.status === 'failed'
          ? []
          : [{ label: t.worth, value: <Money amount={record.amount} currency={record.currency} /> }]),
        ...(changes.length > 0 ? [{ label: t.net, value: <Points value={String(net)} /> }] : []),
        ...(last !== undefined && record.amount !== null
          ? [{ label: t.netWorth, value: <NetWorth partnerId={record.partner_id} adjustmentId={last} /> }]
          : []),
        { label: common.status, value: <StatusBadge status={record.status} /> },
      ]}
      facts={[
        { label: common.partner, value: <PartnerLink id={record.partner_id} /> },
        { label: common.order, value: <Foreign text={record.partner_order_ref} isWhole /> },
        { label: t.partnerEvent, value: <Foreign text={record.partner_event_id} isWhole /> },
        { label: t.customer, value: <Foreign text={record.opaque_customer_ref} isWhole /> },
        { label: common.recorded, value: <Time at={record.created_at} zone={zone} /> },
        { label: ended, value: <Time at={endedAt} zone={zone} /> },
        {
          label: common.correlationId,
          value: record.correlation_id ? <Id id={record.correlation_id} isShort /> : <Text span>{t.byOperators}</Text>,
        },
      ]}
    />
  );
}

/** What is settled of the contribution since its last adjustment was posted. */
function NetWorth({ partnerId, adjustmentId }: { readonly partnerId: string; readonly adjustmentId: string }) {
  const path = { partner_id: partnerId, adjustment_id: adjustmentId };
  const adjustment = useQuery({
    queryKey: ['adjustment', path],
    queryFn: () => answerOf(client.GET('/operator/v1/partners/{partner_id}/adjustments/{adjustment_id}', { params: { path } })),
  });
  return <Money amount={adjustment.data?.effect?.settled_amount_after} currency={adjustment.data?.currency} />;
}

/** In points, of each adjustment that is posted. */
function postedChanges(entries: readonly Entry[]): string[] {
  const posted = new Set(entries.filter(({ kind }) => kind === 'adjustment_posted').map(({ subject_id }) => subject_id));
  const drafts = entries.filter(({ kind, subject_id }) => kind === 'adjustment_drafted' && posted.has(subject_id));
  return drafts.map(({ facts }) => facts['points_delta'] ?? '0');
}

function Supports({ record: { summary_en, summary_ar } }: { readonly record: Contribution }) {
  const t = useTexts(CONTRIBUTION);
  const { language } = useLanguage();
  const texts = [
    { language: 'en', text: summary_en },
    { language: 'ar', text: summary_ar },
  ];
  return (
    <Section title={t.supports}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {texts
          .toSorted((one) => (one.language === language ? -1 : 1))
          .map((each) => (
            <Text key={each.language} lang={each.language} dir={each.language === 'ar' ? 'rtl' : 'ltr'}>
              {each.text}
            </Text>
          ))}
      </SimpleGrid>
    </Section>
  );
}
