import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { isolate } from '../../format/isolate.ts';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { useTexts } from '../../texts/language.tsx';
import { BeforeAfter } from '../adjustments/before-after.tsx';
import { SETTLEMENT } from '../settlements/settlement-texts.ts';
import { CheckMark } from './check-mark.tsx';
import { CLOSING } from './closing-texts.ts';
import { CountToDecide } from './count-to-decide.tsx';
import { DisputedSettlements } from './disputed-settlements.tsx';
import { isVerified, PartnerVerification, usePartnerVerification } from './partner-verification.tsx';

type Settlement = components['schemas']['Settlement'];
type Closing = components['schemas']['Closing'];

/** The anchor of the section, for links to it. */
export const CHECKLIST = 'checklist';

/** How many lines of the checklist of a partner have a warning; `undefined` until all of it is read. */
export function useWarningCount(partnerId: string): number | undefined {
  const closing = useClosing(partnerId).data;
  const verification = usePartnerVerification(partnerId).data;
  if (!closing || !verification) return undefined;
  const { pending_contributions, adjustments_to_approve, adjustments_to_post, disputed_settlements } = closing;
  const counts = [pending_contributions, adjustments_to_approve, adjustments_to_post].map(({ count }) => count);
  const left = [...counts, disputed_settlements.settlements.length].filter((count) => count > 0).length;
  return left + (isVerified(verification) ? 0 : 1);
}

export function useClosing(partnerId: string) {
  return useQuery({
    queryKey: ['closing', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/closing', { params: { path: { partner_id: partnerId } } })),
  });
}

/** On the page of an open settlement: what is left, whether the records are what was sealed, and how it compares. */
export function ClosingChecklist({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(CLOSING);
  const closing = useClosing(settlement.partner_id);
  return (
    <Loaded query={closing}>
      {(record) => (
        <>
          <Section id={CHECKLIST} title={t.checklist}>
            <Paper p="lg">
              <Stack gap="md">
                <LeftToDecide closing={record} />
                <PartnerVerification partnerId={settlement.partner_id} />
              </Stack>
            </Paper>
          </Section>
          <Section title={t.totals}>
            <Totals now={settlement} before={record.last_settlement} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

/** The three counts with what becomes of what is left, and the settlements that the partner disputes. */
export function LeftToDecide({ closing }: { readonly closing: Closing }) {
  const t = useTexts(CLOSING);
  const { partner_id: partner } = closing;
  const items = [
    { label: t.pending, help: t.pendingHelp, left: closing.pending_contributions, to: `/reviews?partner=${partner}` },
    {
      label: t.drafts,
      help: t.adjustmentsHelp,
      left: closing.adjustments_to_approve,
      to: `/adjustments?partner=${partner}&status=draft`,
    },
    {
      label: t.approved,
      help: t.adjustmentsHelp,
      left: closing.adjustments_to_post,
      to: `/adjustments?partner=${partner}&status=approved`,
    },
  ];
  return (
    <Stack gap="md">
      {items.map(({ label, help, left, to }) => (
        <Item key={label} label={label} help={help} isNothing={left.count === 0}>
          <CountToDecide left={left} to={to} />
        </Item>
      ))}
      <Item label={t.disputed} help={t.disputedHelp} isNothing={closing.disputed_settlements.settlements.length === 0}>
        <DisputedSettlements closing={closing} />
      </Item>
    </Stack>
  );
}

interface ItemProps {
  readonly label: string;
  /** Shown unless there is nothing. */
  readonly help: string;
  readonly isNothing: boolean;
  readonly children: ReactNode;
}

function Item({ label, help, isNothing, children }: ItemProps) {
  return (
    <Group gap={10} wrap="nowrap" align="flex-start">
      <CheckMark isGood={isNothing} />
      <div>
        <Text>
          {label}: {children}
        </Text>
        {!isNothing && (
          <Text size="sm" c="dimmed">
            {help}
          </Text>
        )}
      </div>
    </Group>
  );
}

const POINTS = ['contribution_count', 'gross_points', 'adjustment_points', 'net_points', 'payable_points'] as const;
const AMOUNTS = ['net_amount', 'payable_amount'] as const;

/** The figures of a settlement beside those of the one before. */
export function Totals({ now, before }: { readonly now: Settlement; readonly before: Settlement | null }) {
  const t = useTexts(CLOSING);
  const texts = useTexts(SETTLEMENT);
  const labels = {
    contribution_count: texts.contributions,
    gross_points: texts.grossPoints,
    adjustment_points: texts.adjustmentPoints,
    net_points: texts.netPoints,
    payable_points: texts.payablePoints,
    net_amount: texts.netAmount,
    payable_amount: texts.payableAmount,
  };
  const row = (name: (typeof POINTS | typeof AMOUNTS)[number]) => ({
    label: labels[name],
    before: before?.[name] ?? null,
    after: now[name],
  });
  const currency = now.currency ?? before?.currency ?? null;
  const titled = (title: string, label: string | undefined) => (label === undefined ? title : `${title} (${isolate(label)})`);
  return (
    <BeforeAfter
      labels={[titled(t.lastPeriod, before?.period_label), titled(t.thisPeriod, now.period_label)]}
      rows={[...POINTS.map(row), ...AMOUNTS.map((name) => ({ ...row(name), currency }))]}
    />
  );
}
