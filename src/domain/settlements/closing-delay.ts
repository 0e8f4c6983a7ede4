import type { SettlementPeriod } from './settlement-period.ts';

/** The pause after the end of a period, so that contributions confirmed just before the end are included. */
const CLOSING_DELAY_MS = 5 * 60_000;

/**
 * The time from which the schedule closes a period.
 *
 * @see docs/spec/settlements.md#2-settlement.
 */
export function closesAt({ endsAt }: Pick<SettlementPeriod, 'endsAt'>): Date {
  return new Date(endsAt.getTime() + CLOSING_DELAY_MS);
}
