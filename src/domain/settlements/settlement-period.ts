import { Temporal } from 'temporal-polyfill';

/**
 * The default time zone.
 *
 * @see docs/spec/settlements.md#2-settlement.
 */
export const DEFAULT_TIME_ZONE = 'Asia/Riyadh';

/**
 * The time span of one settlement: from `startsAt`, inclusive, to `endsAt`, exclusive. Never empty. Instants are whole milliseconds;
 * finer times must be truncated.
 */
export interface SettlementPeriod {
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly timeZone: string;
  /** `2026-11`; after an early close in the same month `2026-11-2`, `2026-11-3`, … */
  readonly label: string;
}

/**
 * The zone's name as the IANA database spells it: `asia/riyadh` is `Asia/Riyadh`.
 *
 * @returns `undefined` for a text that is no named zone, such as the offset `+03:00`.
 */
export function findTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * The calendar month of a time zone that contains an instant: in `Asia/Riyadh`, 2026-10-31T21:00Z is in `2026-11`. A month lasts from the
 * first moment of its first day to the first moment of the next month. So months never overlap, even when clocks were set back over
 * midnight and showed the last hour of a month again after the next had begun (`America/St_Johns`, 2009-11-01): that hour belongs to the
 * month that had begun.
 *
 * @throws RangeError When the zone is unknown, or the year does not have four digits.
 * @see docs/spec/settlements.md#2-settlement, "Period".
 */
export function calendarPeriod(at: Date, timeZone: string): SettlementPeriod {
  const { month, endsAt } = monthAt(at, timeZone);
  return { startsAt: startOf(month, timeZone), endsAt, timeZone, label: labelOf(month, 1) };
}

/**
 * The day of a time zone that contains an instant, such as `2026-11-20`. Days and periods of a partner are computed here alone: the zones
 * of a database may have other names and other rules.
 *
 * @throws RangeError When the zone is unknown.
 * @see docs/decisions/0120-zones-are-those-of-the-service.md#decision
 */
export function calendarDay(at: Date, timeZone: string): string {
  return zoned(at, timeZone).toPlainDate().toString();
}

/**
 * The period after another: without a gap, to the end of the calendar month in which it starts. After a regular end that is a whole
 * month. After an early close it is the rest of the month, under the same label with the next number. After a change of the zone the
 * first period is longer or shorter, no instant is lost, and a label is never used again: when the period begins in the month before, it
 * continues with the last label.
 *
 * @param previous The closed period, with its actual end.
 * @throws RangeError When the zone is unknown.
 * @see docs/spec/settlements.md#2-settlement, "Assignment at close".
 */
export function nextPeriod(previous: SettlementPeriod, timeZone: string): SettlementPeriod {
  const { month: previousMonth, part } = readPeriodLabel(previous.label);
  const calendar = monthAt(previous.endsAt, timeZone);
  const isBefore = Temporal.PlainYearMonth.compare(calendar.month, previousMonth) < 0;
  const { month, endsAt } = isBefore ? wholeMonth(previousMonth, timeZone) : calendar;
  return {
    startsAt: previous.endsAt,
    endsAt,
    timeZone,
    label: labelOf(month, month.equals(previousMonth) ? part + 1 : 1),
  };
}

/**
 * The period as it is closed: unchanged at or after its end, shortened before it.
 *
 * @throws RangeError When `closedAt` is not after the start.
 */
export function closedPeriod(period: SettlementPeriod, closedAt: Date): SettlementPeriod {
  if (closedAt <= period.startsAt) throw new RangeError(`A period that starts at ${period.startsAt.toISOString()} has not begun`);
  return closedAt < period.endsAt ? { ...period, endsAt: closedAt } : period;
}

/** The periods that an operator asks for. */
export interface PeriodFilter {
  /** All of a calendar month: `2026-11` and `2026-11-2` of `2026-11`. */
  readonly month: string | undefined;
  /** This one alone. */
  readonly periodLabel: string | undefined;
}

/** `2026-11` names a month with every period in it, `2026-11-2` the second period of a month. */
export function readPeriodFilter(period: string | undefined): PeriodFilter {
  const month = period?.slice(0, 'YYYY-MM'.length);
  return { month, periodLabel: period === month ? undefined : period };
}

interface Month {
  readonly month: Temporal.PlainYearMonth;
  readonly endsAt: Date;
}

function monthAt(at: Date, timeZone: string): Month {
  const shown = wholeMonth(zoned(at, timeZone).toPlainDate().toPlainYearMonth(), timeZone);
  // The local clock may show the previous month again: see calendarPeriod.
  return at < shown.endsAt ? shown : wholeMonth(shown.month.add({ months: 1 }), timeZone);
}

function wholeMonth(month: Temporal.PlainYearMonth, timeZone: string): Month {
  return { month, endsAt: startOf(month.add({ months: 1 }), timeZone) };
}

function startOf(month: Temporal.PlainYearMonth, timeZone: string): Date {
  // Without a time it is the first moment of the day.
  return new Date(month.toPlainDate({ day: 1 }).toZonedDateTime(timeZone).epochMilliseconds);
}

function zoned(at: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
}

function labelOf(month: Temporal.PlainYearMonth, part: number): string {
  const text = month.toString();
  if (!/^\d{4}-\d\d$/.test(text)) throw new RangeError(`No settlement period has the month ${text}`);
  return part === 1 ? text : `${text}-${part}`;
}

function readPeriodLabel(label: string): { month: Temporal.PlainYearMonth; part: number } {
  const [, month, part = '1'] = /^(\d{4}-\d\d)(?:-([1-9]\d*))?$/.exec(label) ?? [];
  if (month === undefined) throw new RangeError(`Not the label of a settlement period: ${label}`);
  return { month: Temporal.PlainYearMonth.from(month), part: Number(part) };
}
