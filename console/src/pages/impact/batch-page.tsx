import { Alert, Stack, Stepper, Text, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { components } from '../../api/operator-types.ts';
import { Page } from '../../layout/page.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Colleagues } from '../../parts/four-eyes.tsx';
import { Person } from '../../parts/person.tsx';
import { Records } from '../../parts/records.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, Loaded } from '../../parts/state.tsx';
import { TwoLines } from '../../parts/two-lines.tsx';
import { Absent, Foreign, Id, Points, Time } from '../../parts/values.tsx';
import { useSession } from '../../session/session.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { useAuthor } from '../audit/use-author.ts';
import { findFaster } from './batch-step.ts';
import { BatchSteps } from './batch-steps.tsx';
import { EvidenceSection } from './evidence-section.tsx';
import { CHANGE, IMPACT, PLANTING } from './impact-texts.ts';
import { PickSettlements } from './pick-settlements.tsx';
import { PLANTING_STATUSES, PlantingBadge } from './planting-badge.tsx';
import { PoolBar } from './pool-dialog.tsx';
import { PooledSettlements } from './pooled-settlements.tsx';
import { useBatch } from './use-batch.ts';
import { WorthOfBatch } from './worth.tsx';

type Detail = components['schemas']['ImpactBatchDetail'];

export function BatchPage() {
  const t = useTexts(IMPACT);
  const { batchId = '' } = useParams({ strict: false });
  const batch = useBatch(batchId);
  return (
    <Page
      title={batch.data?.batch.name ?? t.detail}
      description={<Id id={batchId} />}
      actions={batch.data && <BatchSteps detail={batch.data} />}
    >
      <Loaded query={batch}>{(detail) => <Batch detail={detail} />}</Loaded>
    </Page>
  );
}

function Batch({ detail }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const { batch } = detail;
  const isOpen = batch.status === 'recorded';
  // Its dialog stays where a colleague allocates the batch first.
  const [isPooling, setPooling] = useState(false);
  const pooling = { isOpen: isPooling, setOpen: setPooling, allocated: findFaster('allocate', detail, 0) };
  return (
    <Stack gap="xl">
      <Progress detail={detail} />
      <OwnDelivery detail={detail} />
      <BatchFacts detail={detail} />
      {detail.settlement_count > 0 && (
        <Section title={t.worth}>
          <WorthOfBatch worth={detail.worth} quantity={batch.quantity} isOpen={isOpen} />
        </Section>
      )}
      <Section title={t.settlements}>
        <PooledSettlements batchId={batch.impact_batch_id} />
      </Section>
      {(isOpen || isPooling) && (
        <PickSettlements>{(chosen) => <PoolBar batchId={batch.impact_batch_id} chosen={chosen} {...pooling} />}</PickSettlements>
      )}
      {!isOpen && <EvidenceSection detail={detail} />}
      <Section title={t.history}>
        <History detail={detail} />
      </Section>
    </Stack>
  );
}

function Progress({ detail: { batch } }: { readonly detail: Detail }) {
  const t = useTexts(PLANTING);
  const { breakpoints } = useMantineTheme();
  const isNarrow = useMediaQuery(`(max-width: ${breakpoints.sm})`);
  const at = PLANTING_STATUSES.indexOf(batch.status);
  return (
    <Stepper
      active={at === PLANTING_STATUSES.length - 1 ? PLANTING_STATUSES.length : at}
      size="sm"
      iconSize={28}
      orientation={isNarrow ? 'vertical' : 'horizontal'}
      className="planting"
    >
      {PLANTING_STATUSES.map((status) => (
        <Stepper.Step key={status} label={t[status]} {...lookOf(PLANTING_STATUSES.indexOf(status) - at)} />
      ))}
    </Stepper>
  );
}

const CENTRED = { justifyContent: 'center' } as const;

/** @param distance From the current step, which is filled: behind it the steps that were done, before it those to come. */
function lookOf(distance: number) {
  if (distance === 0)
    return {
      'aria-current': 'step' as const,
      styles: {
        stepIcon: { background: 'var(--mantine-color-forest-filled)', color: 'var(--mantine-color-white)' },
        stepBody: CENTRED,
        stepLabel: { fontWeight: 700 },
      },
    };
  return {
    styles: {
      stepBody: CENTRED,
      stepLabel: { fontWeight: 400 },
      ...(distance > 0 && { stepIcon: { borderColor: 'var(--mantine-color-dimmed)', background: 'transparent' } }),
    },
  };
}

/** Who recorded the delivery is offered no verification. */
function OwnDelivery({ detail: { batch, changes } }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const { operator } = useSession();
  if (batch.status !== 'delivered' || batch.delivered_by !== operator.operatorId) return null;
  return (
    <Alert color="gray">
      <Text size="sm">{t.ownDelivery}</Text>
      <Colleagues batchId={batch.impact_batch_id} changeCount={changes.length} />
    </Alert>
  );
}

function BatchFacts({ detail: { batch, project, ...counts } }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  const { language } = useLanguage();
  const author = useAuthor(batch.impact_batch_id, 'impact-batch.create');
  return (
    <Facts
      columns={3}
      facts={[
        {
          label: common.created,
          value: (
            <>
              {author && <Person id={author} />} <Time at={batch.created_at} />
            </>
          ),
        },
        { label: t.since, value: <Time at={batch.status_at} /> },
        { label: t.trees, value: <Points value={batch.quantity} /> },
        {
          label: t.project,
          value: <Foreign text={project && (language === 'ar' ? project.name_ar : project.name_en)} isWhole />,
        },
        { label: t.partners, value: <Points value={String(counts.partner_count)} /> },
        { label: t.contributions, value: <Points value={counts.contribution_count} /> },
        ...(batch.expected_delivery_period
          ? [{ label: t.expectedPeriod, value: <bdi dir="ltr">{batch.expected_delivery_period}</bdi> }]
          : []),
      ]}
    />
  );
}

function History({ detail: { changes, evidence } }: { readonly detail: Detail }) {
  const t = useTexts(IMPACT);
  const common = useTexts(COMMON);
  const kinds = useTexts(CHANGE);
  const added = changes.filter(({ change_type }) => change_type === 'evidence_added');
  return (
    <Records
      label={t.history}
      rows={changes}
      keyOf={({ change_no }) => String(change_no)}
      empty={<Empty title={t.noHistory} icon="clock" />}
      columns={[
        {
          label: t.change,
          // Each has its own file, in the same order.
          show: (change) => {
            const file = evidence[added.indexOf(change)];
            return <TwoLines first={kinds[change.change_type]} second={file && <Foreign text={file.file_name} />} />;
          },
        },
        { label: common.status, show: ({ status }) => <PlantingBadge status={status} /> },
        { label: t.trees, isFigure: true, show: ({ quantity }) => <Points value={quantity} /> },
        { label: common.by, show: ({ operator_id }) => <Person id={operator_id} /> },
        { label: t.when, show: ({ occurred_at }) => <Time at={occurred_at} /> },
        { label: t.reason, isSentences: true, show: ({ reason }) => (reason ? <Foreign text={reason} isWhole /> : <Absent />) },
      ]}
    />
  );
}
