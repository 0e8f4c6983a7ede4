import { Group, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { Icon } from '../../parts/icon.tsx';
import { Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { VERDICT } from '../../texts/record-texts.ts';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { excessOf, pointsOf, type Reconciliation, VERDICTS, type Verdict } from './verdicts.ts';

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
      <Excess record={props.record} />
      <MatchedCard {...props} />
    </Stack>
  );
}

function DifferenceCard({ record, verdict, chosen, onChoose }: VerdictCardsProps & { readonly verdict: Verdict }) {
  const t = useTexts(RECONCILIATION);
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
      {count > 0 && <PointsOfVerdict record={record} verdict={verdict} />}
      {verdict === 'missing_in_partner_file' && count > 0 && record.counts.malformed > 0 && (
        <Text size="xs" c="dimmed">
          {t.mayBeUnreadable}
        </Text>
      )}
    </UnstyledButton>
  );
}

/** What each side has that knows the lines. */
function PointsOfVerdict({ record, verdict }: Pick<VerdictCardsProps, 'record'> & { readonly verdict: Verdict }) {
  const t = useTexts(RECONCILIATION);
  const common = useTexts(COMMON);
  const points = pointsOf(record, verdict);
  if (!points) return null;
  const listed = verdict !== 'missing_in_partner_file' && t.sumInFile(points.listed);
  const recorded = verdict !== 'missing_in_service' && t.sumInService(points.recorded);
  return (
    <Text size="xs" c="dimmed">
      {common.points}: {[listed, recorded].filter(Boolean).join(' · ')}
    </Text>
  );
}

function Excess({ record }: Pick<VerdictCardsProps, 'record'>) {
  const t = useTexts(RECONCILIATION);
  const excess = excessOf(record);
  if (excess === undefined || !VERDICTS.some((verdict) => pointsOf(record, verdict) && record.counts[verdict] > 0)) return null;
  if (excess === 0n) return <Text size="sm">{t.noExcess}</Text>;
  const points = String(excess < 0n ? -excess : excess);
  return <Text size="sm">{excess < 0n ? t.fewer(points) : t.more(points)}</Text>;
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
