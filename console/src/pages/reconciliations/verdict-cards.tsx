import { SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { formatWhole } from '../../format/points.ts';
import { Points } from '../../parts/values.tsx';
import { COMMON } from '../../texts/common-texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { VERDICT } from '../../texts/record-texts.ts';
import { RECONCILIATION } from './reconciliation-texts.ts';
import { excessOf, pointsOf, type Reconciliation, VERDICTS, type Verdict } from './verdicts.ts';

/** Lines that the settlement does not have. */
const IN_FILE_ALONE: readonly Verdict[] = ['missing_in_service', 'duplicate_in_file', 'other_settlement', 'malformed'];

interface VerdictCardsProps {
  readonly record: Reconciliation;
  readonly chosen: Verdict;
  readonly onChoose: (verdict: Verdict) => void;
}

/** What differs, by its kind, and what agrees: each opens its lines. */
export function VerdictCards(props: VerdictCardsProps) {
  return (
    <Stack gap="sm">
      <Excess record={props.record} />
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {VERDICTS.map((verdict) => (
          <VerdictCard key={verdict} verdict={verdict} {...props} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function VerdictCard({ record, verdict, chosen, onChoose }: VerdictCardsProps & { readonly verdict: Verdict }) {
  const t = useTexts(RECONCILIATION);
  const names = useTexts(VERDICT);
  const count = record.counts[verdict];
  const isWrong = verdict !== 'matched' && count > 0;
  return (
    <UnstyledButton className="verdict-card" aria-pressed={verdict === chosen} onClick={() => onChoose(verdict)}>
      <Text size="sm">{names[verdict]}</Text>
      <Text fz={22} fw={650} lh={1.35} className={isWrong ? 'tile-number differs' : 'tile-number'}>
        <Points value={String(count)} />
      </Text>
      {count > 0 && <PointsOfVerdict record={record} verdict={verdict} />}
      {verdict === 'matched' && record.matched_points.net > 0 && (
        <Text size="xs" c="dimmed">
          {t.matchedByNet(String(record.matched_points.net))}
        </Text>
      )}
      {verdict === 'missing_in_partner_file' && count > 0 && record.counts.malformed > 0 && (
        <Text size="xs" c="dimmed">
          {t.mayBeUnreadable}
        </Text>
      )}
      {count > 0 && (
        <Text size="xs" mt="auto" pt={6} c={verdict === chosen ? 'dimmed' : 'var(--mantine-color-anchor)'}>
          {verdict === chosen ? t.shownBelow : t.showLines}
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
  const recorded = !IN_FILE_ALONE.includes(verdict) && t.sumInSettlement(points.recorded);
  return (
    <Text size="xs" c="dimmed">
      {common.points}: {[listed, recorded].filter(Boolean).join(' · ')}
    </Text>
  );
}

function Excess({ record }: Pick<VerdictCardsProps, 'record'>) {
  const t = useTexts(RECONCILIATION);
  const names = useTexts(VERDICT);
  const excess = excessOf(record);
  if (excess === undefined || !VERDICTS.some((verdict) => pointsOf(record, verdict) && record.counts[verdict] > 0)) return null;
  const points = String(excess < 0n ? -excess : excess);
  // Of a list that an earlier release received.
  const leftOut = IN_FILE_ALONE.filter((verdict) => !pointsOf(record, verdict) && record.counts[verdict] > 0);
  return (
    <Text>
      {excess === 0n ? t.noExcess : excess < 0n ? t.fewer(points) : t.more(points)}{' '}
      {leftOut.length > 0 &&
        t.notInSum(leftOut.map((verdict) => `${names[verdict]} (${formatWhole(String(record.counts[verdict]))})`))}
      {pointsOf(record, 'malformed') && record.counts.malformed > 0 && t.unreadNotInSum}
    </Text>
  );
}
