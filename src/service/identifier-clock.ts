import { setIdentifierTime } from '../domain/identifiers.ts';
import { readClock } from '../store/clock.ts';
import type { Database } from '../store/database.ts';

/** As the clock was set last. */
let setAheadMs = Number.NaN;

/**
 * Makes new identifiers by the database's clock instead of the machine's. They are never earlier than it, and later by at most the time
 * that reading it took. The rule cache and the watch of the database read that clock every few seconds, and correct this one. One of
 * several processes that does not answer partners has neither: it keeps the reading of its start.
 *
 * @param aheadMs The most by which the database's clock is ahead of `performance.now()`.
 */
export function setIdentifierClock(aheadMs: number): void {
  setAheadMs = aheadMs;
  setIdentifierTime(() => performance.now() + aheadMs);
}

/**
 * Sets the clock by a reading that contradicts it. One that took long, as of a database under load, leaves it as precise as it is.
 *
 * @param now The database's clock.
 * @param askedAtMs `performance.now()` before it was read.
 */
export function correctIdentifierClock(now: Date, askedAtMs: number): void {
  const [least, most] = [now.getTime() - performance.now(), now.getTime() + 1 - askedAtMs];
  if (!(setAheadMs >= least && setAheadMs <= most)) setIdentifierClock(most);
}

/** Reads the database's clock once, for {@link setIdentifierClock}. */
export async function readIdentifierClock({ pool }: Database): Promise<void> {
  const askedAtMs = performance.now();
  // The clock is read in whole milliseconds, at some time after `askedAtMs`.
  setIdentifierClock((await readClock(pool)).getTime() + 1 - askedAtMs);
}
