/** Times in a zone of the reader's, in the language of the screen, with Latin digits. */
import type { Language } from '../texts/text.ts';
import { isolateForeign } from './isolate.ts';

const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', ar: 'ar-u-nu-latn-ca-gregory' };

export type TimeStyle = 'minute' | 'second' | 'day';

const STYLES: Readonly<Record<TimeStyle, Intl.DateTimeFormatOptions>> = {
  minute: { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  second: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
};

export interface TimeTerms {
  readonly language: Language;
  readonly zone: string;
  readonly style?: TimeStyle;
}

export function formatTime(at: string, { language, zone, style = 'minute' }: TimeTerms): string {
  return new Intl.DateTimeFormat(LOCALES[language], { ...STYLES[style], timeZone: zone }).format(new Date(at));
}

/** `1–14 Mar 2026`: the days of a period, of whose last moment `until` is the next. */
export function formatDays(from: string, until: string, { language, zone }: Omit<TimeTerms, 'style'>): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], { ...STYLES.day, timeZone: zone });
  const start = Date.parse(from);
  return format.formatRange(start, Math.max(start, Date.parse(until) - 1));
}

/** `14:00`, the beginning of an hour. */
export function formatHour(at: string, zone: string): string {
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const;
  return new Intl.DateTimeFormat(LOCALES.en, options).format(new Date(at));
}

/** The names of the cities in the time zones of the region's partners; the browser has no names of cities. */
const CITIES_IN_ARABIC: Readonly<Record<string, string>> = {
  Riyadh: 'الرياض',
  Dubai: 'دبي',
  Kuwait: 'الكويت',
  Bahrain: 'البحرين',
  Qatar: 'قطر',
  Muscat: 'مسقط',
  Aden: 'عدن',
  Baghdad: 'بغداد',
  Amman: 'عمّان',
  Beirut: 'بيروت',
  Damascus: 'دمشق',
  Cairo: 'القاهرة',
  Istanbul: 'إسطنبول',
  Berlin: 'برلين',
  London: 'لندن',
  Paris: 'باريس',
  Tokyo: 'طوكيو',
  UTC: 'التوقيت العالمي',
};

/** `Asia/Riyadh` → `Riyadh`: beside a time that is not in the reader's zone. */
export function cityOf(zone: string, language: Language = 'en'): string {
  const city = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
  return (language === 'ar' && CITIES_IN_ARABIC[city]) || city;
}

/** A time in a text that holds no element: with the city where the zone is not the reader's, `1 Nov 2026, 00:00 Dubai`. */
export function formatTimeThere(at: string, terms: TimeTerms): string {
  return formatTime(at, terms) + thereOf(terms.zone, terms.language);
}

/** ` Dubai`, which follows a time; nothing where the zone is the reader's. */
export function thereOf(zone: string, language: Language): string {
  return zone === ownZone() ? '' : ` ${isolateForeign(cityOf(zone, language))}`;
}

/** `2026-03-02 14:05:09 UTC`, shown on hover. */
export function formatUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-03` → `March 2026`. */
export function formatMonth(month: string, language: Language): string {
  const options = { month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(LOCALES[language], options).format(new Date(`${month}-01T00:00:00Z`));
}

/** The month of a moment by the calendar of a zone: `2026-03`. */
export function monthAt(at: number, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', timeZone: zone }).format(at);
}

/** The months that it is somewhere on Earth at a moment: around the change of a month they differ. */
export function monthsAnywhere(at: number): { readonly earliest: string; readonly latest: string } {
  // In this form the zones have the opposite sign.
  return { earliest: monthAt(at, 'Etc/GMT+12'), latest: monthAt(at, 'Etc/GMT-14') };
}

/** From so many seconds on a time is told in a unit, which has so many seconds. */
const UNITS = [
  ['day', 2 * 86_400, 86_400],
  ['hour', 2 * 3_600, 3_600],
  ['minute', 60, 60],
  ['second', 0, 1],
] as const;

/** `in 3 hours`, `2 days ago`: rounded, in the largest unit of which there are two. */
export function formatRelative(at: string, now: number, language: Language): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const [unit, , size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? (['second', 0, 1] as const);
  const count = Math.round(seconds / size);
  // "Tomorrow" would speak of the calendar.
  const told = new Intl.RelativeTimeFormat(LOCALES[language], { numeric: count === 0 ? 'auto' : 'always' }).format(count, unit);
  // The browser's own words mean at any time until then, and have another vowel than the grammar asks for.
  return told.replace(/^خلال/, 'بعد').replace('ثوانِ', 'ثوانٍ');
}

/** The reader's own zone, such as `Asia/Riyadh`. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Where a day such as `2026-03-02` begins in a zone, `later` days on; `undefined` where it is no day of these centuries: while a year is
 * typed, the field of the browser has the years `0002`, `0020` and `0202`.
 */
export function startOfDay(day: string | undefined, zone: string, later = 0): string | undefined {
  if (!/^(?:19|20)\d{2}-\d{2}-\d{2}$/.test(day ?? '')) return undefined;
  const utc = Date.parse(`${day}T00:00:00Z`) + later * 86_400_000;
  if (Number.isNaN(utc)) return undefined;
  // The offset at midnight in UTC is within a day of it, and the second look is right where the offset changes.
  const guess = utc - offsetMs(utc, zone);
  const second = utc - offsetMs(guess, zone);
  // Where the clock is put forward at midnight, west of Greenwich, it is of the day before, and the first look is the moment of the change.
  const isOfDay = second + offsetMs(second, zone) >= utc;
  return new Date(isOfDay ? second : guess).toISOString();
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(at: number, zone: string): number {
  const options = { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat('en-CA', { ...options, ...time }).formatToParts(at);
  const of = (type: string) => parts.find((part) => part.type === type)?.value;
  const local = Date.parse(`${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}Z`);
  return local - Math.floor(at / 1000) * 1000;
}
