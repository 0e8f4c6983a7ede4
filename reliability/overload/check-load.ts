import type { LoadFigures, Tally } from '../harness/load-generator.ts';
import { percentile } from '../harness/report.ts';

const CONFIRMED_SHARE_MIN = 0.99;
const USEFUL_SHARE_MIN = 0.7;
const ACCEPTED_P99_MS_MAX = 500;
const OFFERED_SHARE_MIN = 0.95;
const LATENESS_MS_MAX = 100;

type MeasuredLoad = Pick<LoadFigures, 'measuredMs' | 'confirmations' | 'lookups' | 'latenessMs'>;
type Report = (violation: string) => void;

export interface Measured {
  /** Of the closed loop. */
  readonly peak: MeasuredLoad;
  /** Of the open loop. */
  readonly over: MeasuredLoad;
  /** How many times the useful work of the peak was offered. */
  readonly times: number;
  readonly lookupsPerSecond: number;
}

/** The peak is what the service can do; a multiple of it was offered, and the service still did most of its work. */
export function checkLoad({ peak, over, times, lookupsPerSecond }: Measured, report: Report): void {
  checkPeak(peak, report);
  const { confirmations, lookups } = over;
  const peakPerSecond = usefulPerSecond(peak);
  const offered = countOf(confirmations) + countOf(lookups);
  const expected = (peakPerSecond * times + lookupsPerSecond) * (over.measuredMs / 1_000);
  if (offered < expected * OFFERED_SHARE_MIN)
    report(`void: only ${Math.round((offered / expected) * 100)} % of the load fell due`);
  if (over.latenessMs > LATENESS_MS_MAX)
    report(`void: 1 % of the requests went out more than ${Math.round(over.latenessMs)} ms late`);
  const share = usefulPerSecond(over) / peakPerSecond;
  if (share < USEFUL_SHARE_MIN) report(`useful work is ${Math.round(share * 100)} % of the peak`);
  const p99 = percentile(confirmations.acceptedMs, 0.99);
  if (p99 > ACCEPTED_P99_MS_MAX) report(`accepted p99 is ${Math.round(p99)} ms`);
  checkRefusals(confirmations, 'confirmations', report);
  if (lookups.refusalsWithoutRetryAfter > 0) report(`${lookups.refusalsWithoutRetryAfter} refused look-ups had no Retry-After`);
  const found = lookups.byStatus['200'] ?? 0;
  if (found === 0) report('void: no look-up was answered');
  if (found < countOf(lookups)) report(`${countOf(lookups) - found} of ${countOf(lookups)} look-ups did not get their answer`);
}

/** A peak of failures would be one that is easily reached again. */
function checkPeak({ confirmations }: MeasuredLoad, report: Report): void {
  const [confirmed, all] = [confirmations.byStatus['201'] ?? 0, countOf(confirmations)];
  if (confirmed === 0) report('void: nothing was confirmed at the peak');
  else if (confirmed < all * CONFIRMED_SHARE_MIN)
    report(`void: only ${Math.round((confirmed / all) * 100)} % of the confirmations of the peak were confirmed`);
  checkRefusals(confirmations, 'confirmations of the peak', report);
}

function checkRefusals({ byStatus, refusalsWithoutRetryAfter }: Tally, name: string, report: Report): void {
  for (const [status, count] of Object.entries(byStatus))
    if (!['201', '429', '503', 'unsent'].includes(status)) report(`${count} ${name} ended with ${status}`);
  if (refusalsWithoutRetryAfter > 0) report(`${refusalsWithoutRetryAfter} refused ${name} had no Retry-After`);
}

/** Confirmed ones of the measured time. */
export function usefulPerSecond({ confirmations, measuredMs }: Pick<LoadFigures, 'confirmations' | 'measuredMs'>): number {
  return (confirmations.byStatus['201'] ?? 0) / (measuredMs / 1_000);
}

export function countOf({ byStatus }: Tally): number {
  return Object.values(byStatus).reduce((sum, each) => sum + each, 0);
}
