import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Paper, Text } from '@mantine/core';
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

/** The confirmed points of each day of a month. */
export function MonthChart({ month, days }: { readonly month: string; readonly days: readonly Day[] }) {
  const t = useTexts(OVERVIEW);
  const counted = useTexts(COUNTED);
  const bars = barsOf(month, days, counted.points);
  return (
    <BarChart
      h={180}
      data={bars as Bar[]}
      dataKey="day"
      series={[{ name: 'height', color: 'forest.6', label: t.confirmedPoints }]}
      withYAxis={false}
      gridAxis="none"
      barProps={{ radius: 3, isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
      role="img"
      aria-label={`${t.days} ${month}`}
      tooltipAnimationDuration={0}
      tooltipProps={{ content: ({ payload }) => <Said bar={payload?.[0]?.payload as Bar | undefined} /> }}
    />
  );
}

function Said({ bar }: { readonly bar: Bar | undefined }) {
  if (!bar) return null;
  return (
    <Paper p="xs" shadow="sm">
      <Text size="sm">
        <bdi dir="ltr">{bar.day}</bdi> · {bar.said}
      </Text>
    </Paper>
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
