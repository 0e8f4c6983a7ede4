import { NOW } from './bulk-rows.ts';
import type { Queryable } from './database.ts';
import { run, type Statement } from './query.ts';

const CLOCK: Statement = { name: 'read_clock', text: `select ${NOW} as at` };

/** The database's clock, by which all processes decide what is due: in a transaction, the time at which it began. */
export async function readClock(db: Queryable): Promise<Date> {
  const [row] = await run<{ at: Date }>(db, CLOCK, []);
  return (row as { at: Date }).at;
}
