import { Paper, Table, Text, VisuallyHidden } from '@mantine/core';
import { Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { RECONCILIATION } from './reconciliation-texts.ts';
import type { Reconciliation } from './verdicts.ts';

/** The points of the whole file beside those of the settlement, with the difference to each of its totals. */
export function TotalPoints({ record }: { readonly record: Reconciliation }) {
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  const { total_points: total, is_statement: isStatement, counts } = record;
  if (total === null) return null;
  const excessOver = (points: string) => String(BigInt(total.listed) - BigInt(points));
  const rows = [
    { label: isStatement ? t.totalOfLines : t.totalGross, points: total.recorded },
    ...(total.recorded_net === total.recorded ? [] : [{ label: t.totalNet, points: total.recorded_net }]),
  ];
  return (
    <Paper p="lg">
      <Table className="sum" data-stacked aria-label={t.totals}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <VisuallyHidden>{t.totals}</VisuallyHidden>
            </Table.Th>
            <Table.Th className="figures">{common.points}</Table.Th>
            <Table.Th className="figures">{t.fileMinus}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row">{t.totalOfFile}</Table.Th>
            <Table.Td className="figures" data-label={common.points}>
              <Points value={total.listed} />
            </Table.Td>
            <Table.Td />
          </Table.Tr>
          {rows.map(({ label, points }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              <Table.Td className="figures" data-label={common.points}>
                <Points value={points} />
              </Table.Td>
              <Table.Td className="figures" data-label={t.fileMinus}>
                <Points value={excessOver(points)} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {counts.malformed > 0 && (
        <Text size="sm" c="dimmed" mt="md">
          {t.notTotalled}
        </Text>
      )}
    </Paper>
  );
}
