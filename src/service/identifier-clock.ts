import { setIdentifierTime } from '../domain/identifiers.ts';
import { readClock } from '../store/clock.ts';
import type { Database } from '../store/database.ts';

/**
 * Makes new identifiers by the database's clock instead of the machine's. They are never earlier than it, and later by at most the time
 * that reading it took. The rule cache and the watch of the database read that clock every few seconds, and correct this one.
 *
 * @param aheadMs The most by which the database's clock is ahead of `performance.now()`.
 */
export function setIdentifierClock(aheadMs: number): void {
  setIdentifierTime(() => performance.now() + aheadMs);
}

/** Reads the database's clock once, for {@link setIdentifierClock}. */
export async function readIdentifierClock({ pool }: Database): Promise<void> {
  const askedAtMs = performance.now();
  // The clock is read in whole milliseconds, at some time after `askedAtMs`.
  setIdentifierClock((await readClock(pool)).getTime() + 1 - askedAtMs);
}
