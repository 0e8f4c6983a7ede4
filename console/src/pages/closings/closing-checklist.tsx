import { Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/state.tsx';
import { Money, Points } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SETTLEMENT } from '../settlements/settlement-texts.ts';
import { CLOSING } from './closing-texts.ts';
import { Left } from './left.tsx';
import { PartnerVerification } from './partner-verification.tsx';

type Settlement = components['schemas']['Settlement'];
type Closing = components['schemas']['Closing'];

export function useClosing(partnerId: string) {
  return useQuery({
    queryKey: ['closing', partnerId],
    queryFn: () =>
      answerOf(client.GET('/operator/v1/partners/{partner_id}/closing', { params: { path: { partner_id: partnerId } } })),
  });
}

/** On the page of an open settlement: what is left, whether the records are as they were sealed, and how it compares. */
export function ClosingChecklist({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(CLOSING);
  const closing = useClosing(settlement.partner_id);
  return (
    <Loaded query={closing}>
      {(record) => (
        <>
          <Section title={t.checklist}>
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

/** The three counts with what becomes of what is left. */
export function LeftToDecide({ closing }: { readonly closing: Closing }) {
  const t = useTexts(CLOSING);
  const { partner_id: partner } = closing;
  const items = [
    { label: t.pending, help: t.pendingHelp, left: closing.pending_contributions, to: `/reviews?partner=${partner}` },
    {
      ...{ label: t.drafts, help: t.adjustmentsHelp, left: closing.adjustments_to_approve },
      to: `/adjustments?partner=${partner}&status=draft`,
    },
    {
      ...{ label: t.approved, help: t.adjustmentsHelp, left: closing.adjustments_to_post },
      to: `/adjustments?partner=${partner}&status=approved`,
    },
  ];
  return (
    <Stack gap="sm">
      {items.map(({ label, help, left, to }) => (
        <Group key={label} gap={10} wrap="nowrap" align="flex-start">
          <Text component="span" c={left.count === 0 ? 'forest' : 'yellow'} pt={3}>
            <Icon name={left.count === 0 ? 'check' : 'alert'} size={16} />
          </Text>
          <div>
            <Text>
              {label}: <Left left={left} to={to} />
            </Text>
            {left.count > 0 && (
              <Text size="sm" c="dimmed">
                {help}
              </Text>
            )}
          </div>
        </Group>
      ))}
    </Stack>
  );
}

function Totals({ now, before }: { readonly now: Settlement; readonly before: Settlement | null }) {
  const t = useTexts(CLOSING);
  const texts = useTexts(SETTLEMENT);
  const points = ['contribution_count', 'gross_points', 'adjustment_points', 'net_points', 'payable_points'] as const;
  const labels = [texts.contributions, texts.grossPoints, texts.adjustmentPoints, texts.netPoints, texts.payablePoints];
  const amounts = [
    { label: texts.netAmount, name: 'net_amount' },
    { label: texts.payableAmount, name: 'payable_amount' },
  ] as const;
  return (
    <Paper>
      <Table className="records">
        <Table.Thead>
          <Table.Tr>
            <Table.Th />
            <Table.Th className="end">
              {t.lastPeriod} <bdi dir="ltr">{before?.period_label}</bdi>
            </Table.Th>
            <Table.Th className="end">
              {t.thisPeriod} <bdi dir="ltr">{now.period_label}</bdi>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {points.map((name, index) => (
            <Table.Tr key={name}>
              <Table.Td data-label="">{labels[index]}</Table.Td>
              <Table.Td className="end" data-label={t.lastPeriod}>
                <Points value={before?.[name]} />
              </Table.Td>
              <Table.Td className="end" data-label={t.thisPeriod}>
                <b>
                  <Points value={now[name]} />
                </b>
              </Table.Td>
            </Table.Tr>
          ))}
          {amounts
            .filter(({ name }) => now[name] !== null || (before?.[name] ?? null) !== null)
            .map(({ label, name }) => (
              <Table.Tr key={name}>
                <Table.Td data-label="">{label}</Table.Td>
                <Table.Td className="end" data-label={t.lastPeriod}>
                  <Money amount={before?.[name]} currency={before?.currency} />
                </Table.Td>
                <Table.Td className="end" data-label={t.thisPeriod}>
                  <b>
                    <Money amount={now[name]} currency={now.currency} />
                  </b>
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
