import { sharedRead } from '../../concurrency/shared-read.ts';
import { countMonth, type MonthTotals } from '../../domain/settlements/month-totals.ts';
import { readClock } from '../../store/clock.ts';
import type { Database } from '../../store/database.ts';
import { countOpenOfMonth, eachSettledSums } from '../../store/settlements/settlement-list.ts';

/** The settlements of a calendar month, of all partners, as they were at a moment. */
export interface MonthState extends MonthTotals {
  readonly asOf: Date;
  readonly openCount: bigint;
}

/**
 * Adds up the settlements of a month, as they were within the last 5 s, or the last minute where reading takes long. It reads a row for
 * each partner.
 *
 * @param month Such as `2026-11`.
 */
export async function readMonthTotals(database: Database, month: string): Promise<MonthState> {
  return states.read(database, month);
}

const states = sharedRead({ leastMs: 5_000, mostMs: 60_000 }, async ({ pool }: Database, month): Promise<MonthState> => {
  const asOf = await readClock(pool);
  const openCount = await countOpenOfMonth(pool, month);
  const counter = countMonth();
  for await (const settlement of eachSettledSums(pool, month)) counter.add(settlement);
  return { asOf, openCount, ...counter.totals() };
});
