/** Requests per second, by class of operation; the burst is twice the rate. */
export interface PartnerRates {
  readonly writesPerSecond: number;
  readonly lookupsPerSecond: number;
  readonly reportsPerSecond: number;
}

/** @see docs/spec/decisions.md#6-rate-limits. */
export const DEFAULT_RATES: PartnerRates = { writesPerSecond: 100, lookupsPerSecond: 200, reportsPerSecond: 50 };

/** Whether all rates that are given are the defaults. */
export function areDefault(rates: Partial<PartnerRates>): boolean {
  const names = Object.keys(DEFAULT_RATES) as (keyof PartnerRates)[];
  return names.every((name) => rates[name] === undefined || rates[name] === DEFAULT_RATES[name]);
}
