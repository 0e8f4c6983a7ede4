import { Paper, Table, VisuallyHidden } from '@mantine/core';
import { Money, Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ADJUSTMENT } from './adjustment-texts.ts';

interface Change {
  readonly label: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The currency of an amount; absent for points. */
  readonly currency?: string | null;
}

interface BeforeAfterProps {
  readonly rows: readonly Change[];
  /** What the two are, where they are not before and after a change. */
  readonly labels?: readonly [before: string, after: string];
}

/** What is so now, and what will be. An amount without a conversion has no row. */
export function BeforeAfter({ rows, labels }: BeforeAfterProps) {
  const t = useTexts(ADJUSTMENT);
  const common = useTexts(COMMON);
  const [before, after] = labels ?? [t.before, t.after];
  const show = (value: string | null, { currency }: Change) =>
    currency === undefined ? <Points value={value} /> : <Money amount={value} currency={currency} />;
  return (
    <Paper>
      <Table className="records">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <VisuallyHidden>{common.value}</VisuallyHidden>
            </Table.Th>
            <Table.Th className="figures">{before}</Table.Th>
            <Table.Th className="figures">{after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows
            .filter((row) => row.before !== null || row.after !== null)
            .map((row) => (
              <Table.Tr key={row.label}>
                <Table.Td data-label="">{row.label}</Table.Td>
                <Table.Td className="figures" data-label={before}>
                  {show(row.before, row)}
                </Table.Td>
                <Table.Td className="figures" data-label={after}>
                  <b>{show(row.after, row)}</b>
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
