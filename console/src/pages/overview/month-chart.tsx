import { Text } from '@mantine/core';
import type { components } from '../../api/operator-types.ts';
import { chartScale } from '../../format/points.ts';
import { formatMonth, formatTime } from '../../format/time.ts';
import { Figures } from '../../parts/charts/figures.tsx';
import { hint } from '../../parts/hint.tsx';
import { Records } from '../../parts/records.tsx';
import { Points } from '../../parts/values.tsx';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { COUNTED } from '../../texts/record-texts.ts';
import { OVERVIEW } from './overview-texts.ts';

type Day = components['schemas']['DayFigures'];

interface Bar {
  /** `2026-03-02`. */
  readonly day: string;
  readonly points: string;
  readonly height: number;
}

/** The confirmed points of each day of a month. A library for charts would be a third of the first view. */
export function MonthChart({ month, days }: { readonly month: string; readonly days: readonly Day[] }) {
  const t = useTexts(OVERVIEW);
  const counted = useTexts(COUNTED);
  const { language } = useLanguage();
  const bars = barsOf(month, days);
  const most = Math.max(1, ...bars.map(({ height }) => height));
  const highest = highestOf(bars);
  const nameOf = (day: string) => formatTime(`${day}T00:00:00Z`, { language, zone: 'UTC', style: 'day' });
  return (
    <div>
      {highest && (
        <Text size="xs" c="dimmed" mb={4}>
          {t.highest(nameOf(highest.day), highest.points)}
        </Text>
      )}
      <div role="img" aria-label={`${t.days} ${formatMonth(month, language)}`} className="month-chart">
        {bars.map(({ day, points, height }) => (
          <div key={day} {...hint(`${nameOf(day)} · ${counted.points(points)}`)}>
            <div className="month-chart-bar">
              <div style={{ height: `${(100 * height) / most}%` }} data-some={points !== '0' || undefined} />
            </div>
            <div className="month-chart-day">{day.slice(-2).replace(/^0/, '')}</div>
          </div>
        ))}
      </div>
      <Figures title={t.pointsOfDays}>
        <Records
          label={t.pointsOfDays}
          rows={bars}
          keyOf={({ day }) => day}
          empty={null}
          columns={[
            { label: t.day, show: ({ day }) => nameOf(day) },
            { label: t.confirmedPoints, isFigure: true, show: ({ points }) => <Points value={points} /> },
          ]}
        />
      </Figures>
    </div>
  );
}

/** By the points themselves, because heights are rounded; the first one of several. */
function highestOf(bars: readonly Bar[]): Bar | undefined {
  const most = bars.reduce((max, { points }) => (BigInt(points) > max ? BigInt(points) : max), 0n);
  return most === 0n ? undefined : bars.find(({ points }) => BigInt(points) === most);
}

/** Every day of the month, those without a contribution too. */
function barsOf(month: string, days: readonly Day[]): readonly Bar[] {
  const known = new Map(days.map(({ day, confirmed_points }) => [day, confirmed_points]));
  const { toHeight } = chartScale([...known.values()]);
  const first = new Date(`${month}-01T00:00:00Z`);
  const count = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => {
    const day = `${month}-${String(index + 1).padStart(2, '0')}`;
    const points = known.get(day) ?? '0';
    return { day, points, height: toHeight(points) };
  });
}
