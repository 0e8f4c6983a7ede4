import { Temporal } from 'temporal-polyfill';

/** No partner's clock goes further ahead of the database's than this. */
export const AHEAD_YEARS_MAX = 5;

const FORM = /^P(?=.)(?:\d{1,3}Y)?(?:\d{1,4}M)?(?:\d{1,4}W)?(?:\d{1,5}D)?(?:T(?=.)(?:\d{1,6}H)?(?:\d{1,7}M)?(?:\d{1,9}S)?)?$/;

/**
 * What a clock shows after it was advanced by an ISO 8601 duration, such as `P1M` or `PT36H`: months and days by the calendar of the zone.
 *
 * @returns `undefined` for what is no duration, or one of nothing.
 */
export function advancedBy(clock: Date, duration: string, timeZone: string): Date | undefined {
  if (!FORM.test(duration)) return undefined;
  const from = Temporal.Instant.fromEpochMilliseconds(clock.getTime()).toZonedDateTimeISO(timeZone);
  const to = new Date(from.add(Temporal.Duration.from(duration)).epochMilliseconds);
  return to > clock ? to : undefined;
}
