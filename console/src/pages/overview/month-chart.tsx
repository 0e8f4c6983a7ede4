import type { components } from '../../api/operator-types.ts';
import { chartScale } from '../../format/points.ts';
import { hint } from '../../parts/hint.tsx';
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

/** The confirmed points of each day of a month. A library for charts would be a third of the first view. */
export function MonthChart({ month, days }: { readonly month: string; readonly days: readonly Day[] }) {
  const t = useTexts(OVERVIEW);
  const counted = useTexts(COUNTED);
  const bars = barsOf(month, days, counted.points);
  const highest = Math.max(1, ...bars.map(({ height }) => height));
  return (
    <div role="img" aria-label={`${t.days} ${month}`} className="month-chart">
      {bars.map((bar) => (
        <div key={bar.day} {...hint(`${bar.day} · ${bar.said}`)}>
          <div className="month-chart-bar">
            <div style={{ height: `${(100 * bar.height) / highest}%` }} />
          </div>
          <div className="month-chart-day">{bar.day}</div>
        </div>
      ))}
    </div>
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
