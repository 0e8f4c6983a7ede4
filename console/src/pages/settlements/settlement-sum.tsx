import { Paper, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../../api/operator-types.ts';
import { addDecimals, addWhole } from '../../format/points.ts';
import { Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { AdjustmentLinesLink } from './settlement-lines.tsx';
import { SETTLEMENT } from './settlement-texts.ts';

type Settlement = components['schemas']['Settlement'];
type VersionTotals = components['schemas']['VersionTotals'];

/** How the payable figure results, in points and as an amount, in rows that add up. */
export function SettlementSum({ settlement }: { readonly settlement: Settlement }) {
  const t = useTexts(SETTLEMENT);
  const common = useTexts(COMMON);
  const { currency } = settlement;
  const hasAmount = settlement.net_amount !== null;
  const money = (amount: string | null) => <Money amount={amount} currency={currency} />;
  const versions = valuesOf(settlement.totals_by_version);
  const ends = [
    { label: t.carriedInRow, points: settlement.carried_in_points, amount: money(settlement.carried_in_amount) },
    { label: t.payable, points: settlement.payable_points, amount: money(settlement.payable_amount), kind: 'result' as const },
    { label: t.carriedOutRow, points: settlement.carried_out_points, amount: money(settlement.carried_out_amount) },
  ];
  return (
    <Paper p="lg">
      <Title order={2} size="h4" mb="xs">
        {t.sum}
      </Title>
      <Table.ScrollContainer minWidth={0}>
        <Table className="sum" aria-label={t.sum}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <VisuallyHidden>{t.sumOf}</VisuallyHidden>
              </Table.Th>
              <Table.Th className="figures">{common.points}</Table.Th>
              {hasAmount && <Table.Th className="figures">{common.amount}</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Row
              label={t.countedContributions(settlement.contribution_count)}
              points={settlement.gross_points}
              hasAmount={hasAmount}
            />
            <Row
              label={
                <>
                  {t.countedAdjustments(settlement.adjustment_count)} <AdjustmentLinesLink settlement={settlement} />
                </>
              }
              points={settlement.adjustment_points}
              hasAmount={hasAmount}
            />
            <Row label={t.net} points={settlement.net_points} amount={money(settlement.net_amount)} hasAmount={hasAmount} />
            {versions.length > 1 &&
              versions.map(({ label, points, amount }) => (
                <Row
                  key={label}
                  kind="part"
                  label={t.ofValue(label)}
                  points={points}
                  amount={money(amount)}
                  hasAmount={hasAmount}
                />
              ))}
            {ends.map((row) => (
              <Row key={row.label} {...row} hasAmount={hasAmount} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed" mt="md">
        {hasAmount ? t.howPayable : `${t.howPayable} ${t.noAmount}`}
      </Text>
    </Paper>
  );
}

interface RowProps {
  readonly label: ReactNode;
  readonly points: string;
  /** Absent where the period has only the amount of both. */
  readonly amount?: ReactNode;
  readonly hasAmount: boolean;
  /** A part of the row above, or what the rows above come to. */
  readonly kind?: 'part' | 'result';
}

function Row({ label, points, amount, hasAmount, kind }: RowProps) {
  return (
    <Table.Tr data-kind={kind}>
      <Table.Th scope="row">{label}</Table.Th>
      <Table.Td className="figures">
        <Points value={points} />
      </Table.Td>
      {hasAmount && <Table.Td className="figures">{amount}</Table.Td>}
    </Table.Tr>
  );
}

/** The points of each value of a point, with their exact amount: versions that differ in other rules are added. */
function valuesOf(totals: readonly VersionTotals[]) {
  const groups = Map.groupBy(totals, ({ point_conversion_version }) => point_conversion_version);
  return [...groups].map(([label, of]) => ({
    label,
    points: String(addWhole(of.map(({ points }) => points))),
    amount: of.some(({ amount }) => amount === null) ? null : addDecimals(of.map(({ amount }) => amount ?? '0')),
  }));
}
