import { Group, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
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

/** What differs, by its kind; what agrees stands below, on a line of its own. */
export function VerdictCards(props: VerdictCardsProps) {
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {VERDICTS.filter((verdict) => verdict !== 'matched').map((verdict) => (
          <DifferenceCard key={verdict} verdict={verdict} {...props} />
        ))}
      </SimpleGrid>
      <MatchedCard {...props} />
    </Stack>
  );
}

function DifferenceCard({ record, verdict, chosen, onChoose }: VerdictCardsProps & { readonly verdict: Verdict }) {
  const names = useTexts(VERDICT);
  const count = record.counts[verdict];
  return (
    <UnstyledButton className="verdict-card" aria-pressed={verdict === chosen} onClick={() => onChoose(verdict)}>
      <Group gap={6} wrap="nowrap" c="dimmed">
        <Icon name={count === 0 ? 'check' : 'alert'} size={15} />
        <Text size="sm">{names[verdict]}</Text>
      </Group>
      <Text fz={22} fw={650} {...(count > 0 && { className: 'differs' })}>
        <Points value={String(count)} />
      </Text>
    </UnstyledButton>
  );
}

function MatchedCard({ record: { counts, matched_points }, chosen, onChoose }: VerdictCardsProps) {
  const t = useTexts(RECONCILIATION);
  const { matched } = useTexts(VERDICT);
  return (
    <UnstyledButton className="verdict-card" aria-pressed={chosen === 'matched'} onClick={() => onChoose('matched')}>
      <Group gap="xs" c="dimmed">
        <Icon name="check" size={15} />
        <Text size="sm">{matched}</Text>
        <Text fw={650} c="var(--mantine-color-text)">
          <Points value={String(counts.matched)} />
        </Text>
        <Text size="sm">
          <Points value={String(matched_points.gross)} /> {t.gross} · <Points value={String(matched_points.net)} /> {t.net}
        </Text>
      </Group>
    </UnstyledButton>
  );
}
