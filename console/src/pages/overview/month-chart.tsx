import { Box, Flex, Group, Text, Tooltip } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { chartScale } from '../../format/points.ts';
import { useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { OVERVIEW } from './overview-texts.ts';

type Day = components['schemas']['DayFigures'];

interface Bar {
  readonly day: string;
  readonly height: number;
  /** Exact, for whoever reads it. */
  readonly said: string;
}

const HEIGHT = 150;

/** The confirmed points of each day of a month. A library for charts would be a third of the first view. */
export function MonthChart({ month, days }: { readonly month: string; readonly days: readonly Day[] }) {
  const t = useTexts(OVERVIEW);
  const counted = useTexts(COUNTED);
  const bars = barsOf(month, days, counted.points);
  const highest = Math.max(1, ...bars.map(({ height }) => height));
  return (
    <Group role="img" aria-label={`${t.days} ${month}`} dir="ltr" gap={4} wrap="nowrap" align="flex-end">
      {bars.map((bar) => (
        <Tooltip.Floating key={bar.day} label={`${bar.day} · ${bar.said}`}>
          <Box flex={1} miw={0}>
            <Flex h={HEIGHT} align="flex-end">
              <Box w="100%" h={(bar.height * HEIGHT) / highest} bg="forest.6" bdrs={3} />
            </Flex>
            <Text size="xs" c="dimmed" ta="center" visibleFrom="sm">
              {bar.day}
            </Text>
          </Box>
        </Tooltip.Floating>
      ))}
    </Group>
  );
}

/** Every day of the month, those without a contribution too. */
function barsOf(month: string, days: readonly Day[], say: (points: string) => string): readonly Bar[] {
  const known = new Map(days.map(({ day, confirmed_points }) => [day, confirmed_points]));
  const { toHeight } = chartScale([...known.values()]);
  const first = new Date(`${month}-01T00:00:00Z`);
  const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => {
    const date = String(index + 1).padStart(2, '0');
    const points = known.get(`${month}-${date}`) ?? '0';
    return { day: date, height: toHeight(points), said: say(points) };
  });
}
