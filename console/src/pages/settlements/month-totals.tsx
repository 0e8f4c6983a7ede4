import { Group, Paper, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, client } from '../../api/client.ts';
import type { components } from '../../api/operator-types.ts';
import { addWhole } from '../../format/points.ts';
import { Loaded } from '../../parts/state.tsx';
import { Absent, Money, Points, Time } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { STATUS } from '../../texts/record-texts.ts';
import { SETTLEMENT } from './settlement-texts.ts';

type Totals = components['schemas']['MonthSettlementTotals'];

/** What the closed settlements of a month come to, over all partners, by currency. */
export function MonthTotals({ month }: { readonly month: string }) {
  const t = useTexts(SETTLEMENT);
  const status = useTexts(STATUS);
  const query = useQuery({
    queryKey: ['month-settlements', month],
    queryFn: () => answerOf(client.GET('/operator/v1/months/{month}/settlements', { params: { path: { month } } })),
  });
  return (
    <Loaded query={query}>
      {({ as_of, open_count, closed_count, pending_count, accepted_count, disputed_count, totals }) => (
        <Paper p="lg">
          <Title order={2} size="h4" mb="xs">
            {t.monthTitle(month)}
          </Title>
          <Group gap="md" mb="sm">
            <Counted label={status.closed} count={String(closed_count)} />
            <Counted label={status.accepted} count={String(accepted_count)} />
            <Counted label={status.not_answered} count={String(pending_count)} />
            <Counted label={status.disputed} count={String(disputed_count)} />
            <Counted label={t.stillOpen} count={open_count} />
          </Group>
          {totals.length > 0 && <TotalsTable label={t.monthTitle(month)} totals={totals} />}
          <Text size="sm" c="dimmed" mt="sm">
            {t.monthHelp} <Time at={as_of} style="second" />
          </Text>
        </Paper>
      )}
    </Loaded>
  );
}

function TotalsTable({ label, totals }: { readonly label: string; readonly totals: readonly Totals[] }) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  return (
    <Table className="sum" data-stacked aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{common.currency}</Table.Th>
          <Table.Th className="figures">{t.title}</Table.Th>
          <Table.Th className="figures">{t.contributions}</Table.Th>
          <Table.Th className="figures">{t.netPoints}</Table.Th>
          <Table.Th className="figures">{t.payablePoints}</Table.Th>
          <Table.Th className="figures">{t.payableAmount}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {totals.map((each) => (
          <TotalsRow key={each.currency} label={each.currency ?? t.withoutAmount} totals={each} />
        ))}
        {totals.length > 1 && <TotalsRow label={t.together} totals={together(totals)} isResult />}
      </Table.Tbody>
    </Table>
  );
}

function Counted({ label, count }: { readonly label: string; readonly count: string }) {
  return (
    <Text size="sm">
      {label}: <Points value={count} />
    </Text>
  );
}

interface RowProps {
  readonly label: string;
  readonly totals: Omit<Totals, 'minor_units' | 'carried_out_points'>;
  readonly isResult?: boolean;
}

function TotalsRow({ label, totals, isResult = false }: RowProps) {
  const t = useTexts(SETTLEMENT);
  return (
    <Table.Tr {...(isResult && { 'data-kind': 'result' })}>
      <Table.Th scope="row">{label}</Table.Th>
      <Table.Td className="figures" data-label={t.title}>
        <Points value={String(totals.settlement_count)} />
      </Table.Td>
      <Table.Td className="figures" data-label={t.contributions}>
        <Points value={totals.contribution_count} />
      </Table.Td>
      <Table.Td className="figures" data-label={t.netPoints}>
        <Points value={totals.net_points} />
      </Table.Td>
      <Table.Td className="figures" data-label={t.payablePoints}>
        <Points value={totals.payable_points} />
      </Table.Td>
      <Table.Td className="figures" data-label={t.payableAmount}>
        {totals.currency === null ? <Absent /> : <Money amount={totals.payable_amount} currency={totals.currency} />}
      </Table.Td>
    </Table.Tr>
  );
}

/** Points add up over currencies, amounts do not. */
function together(totals: readonly Totals[]): RowProps['totals'] {
  const sum = (pick: (each: Totals) => string) => String(addWhole(totals.map(pick)));
  return {
    currency: null,
    payable_amount: null,
    settlement_count: totals.reduce((all, { settlement_count }) => all + settlement_count, 0),
    contribution_count: sum(({ contribution_count }) => contribution_count),
    net_points: sum(({ net_points }) => net_points),
    payable_points: sum(({ payable_points }) => payable_points),
  };
}
