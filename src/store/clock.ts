import { NOW } from './bulk-rows.ts';
import type { Queryable } from './database.ts';
import { run, type Statement } from './query.ts';

const CLOCK: Statement = { name: 'read_clock', text: `select ${NOW} as at` };

const WAIT_A_MILLISECOND: Statement = { name: 'wait_a_millisecond', text: 'select pg_sleep(0.001)' };

/** The database's clock, by which all processes decide what is due: in a transaction, the time at which it began. */
export async function readClock(db: Queryable): Promise<Date> {
  const [row] = await run<{ at: Date }>(db, CLOCK, []);
  return (row as { at: Date }).at;
}

/**
 * Waits until the database's clock is later than at the call, as precise as records keep it. A period that ends after this wait holds all
 * that was answered before it: the end of a period belongs to the next one, and a confirmation may have had the same millisecond.
 */
export async function waitForLaterClock(db: Queryable): Promise<void> {
  await run(db, WAIT_A_MILLISECOND, []);
}
