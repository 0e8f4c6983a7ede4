import { Group, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';
import { Points } from '../../parts/values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { VERDICT } from '../../texts/record-texts.ts';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { type Reconciliation, VERDICTS, type Verdict } from './verdicts.ts';

interface VerdictCardsProps {
  readonly record: Reconciliation;
  readonly chosen: Verdict;
  readonly onChoose: (verdict: Verdict) => void;
}

export function VerdictCards({ record, chosen, onChoose }: VerdictCardsProps) {
  const t = useTexts(RECONCILIATION);
  const names = useTexts(VERDICT);
  const { counts, matched_points } = record;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {VERDICTS.map((verdict) => (
        <UnstyledButton
          key={verdict}
          className="verdict-card"
          aria-pressed={verdict === chosen}
          onClick={() => onChoose(verdict)}
        >
          <Group gap={6} wrap="nowrap" c="dimmed">
            <Icon name={verdict === 'matched' || counts[verdict] === 0 ? 'check' : 'alert'} size={15} />
            <Text size="sm">{names[verdict]}</Text>
          </Group>
          <Text fz={22} fw={650} {...(verdict !== 'matched' && counts[verdict] > 0 && { className: 'differs' })}>
            <Points value={String(counts[verdict])} />
          </Text>
          {verdict === 'matched' && (
            <Text size="sm" c="dimmed">
              <Points value={String(matched_points.gross)} /> {t.gross}
              <br />
              <Points value={String(matched_points.net)} /> {t.net}
            </Text>
          )}
        </UnstyledButton>
      ))}
    </SimpleGrid>
  );
}
