/** The local hours from which a day has at least six more, and has had six. */
const [MORNING, EVENING] = [6, 18];

/**
 * A time zone in which neither the day nor the month turns within six hours, so that what a test counts by them is of one. The two are
 * twelve hours apart, and their clocks are never changed.
 */
export const QUIET_ZONE = isBetween('Asia/Riyadh') ? 'Asia/Riyadh' : 'Pacific/Gambier';

function isBetween(timeZone: string): boolean {
  const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(new Date()));
  return hour >= MORNING && hour < EVENING;
}
