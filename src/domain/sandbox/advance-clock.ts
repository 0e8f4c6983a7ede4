import { Temporal } from 'temporal-polyfill';

/** A partner's clock is at most this far ahead of the database's. */
export const AHEAD_YEARS_MAX = 5;

const FORM = /^P(?=.)(?:\d{1,3}Y)?(?:\d{1,4}M)?(?:\d{1,4}W)?(?:\d{1,5}D)?(?:T(?=.)(?:\d{1,6}H)?(?:\d{1,7}M)?(?:\d{1,9}S)?)?$/;

/**
 * The time of a clock after an ISO 8601 duration, such as `P1M` or `PT36H`: months and days by the calendar of the zone.
 *
 * @returns `undefined` for an invalid or empty duration.
 */
export function advancedBy(clock: Date, duration: string, timeZone: string): Date | undefined {
  if (!FORM.test(duration)) return undefined;
  const from = Temporal.Instant.fromEpochMilliseconds(clock.getTime()).toZonedDateTimeISO(timeZone);
  const to = new Date(from.add(Temporal.Duration.from(duration)).epochMilliseconds);
  return to > clock ? to : undefined;
}
