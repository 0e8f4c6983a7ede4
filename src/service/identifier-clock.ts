import { setIdentifierTime } from '../domain/identifiers.ts';
import { readClock } from '../store/clock.ts';
import type { Database } from '../store/database.ts';

/**
 * New identifiers carry the database's time, or one that is later by a look at it, whatever the machine takes for now.
 *
 * @param aheadMs How far the database's clock is ahead of `performance.now()` at most.
 */
export function setIdentifierClock(aheadMs: number): void {
  setIdentifierTime(() => performance.now() + aheadMs);
}

/** {@link setIdentifierClock} by one look. */
export async function readIdentifierClock({ pool }: Database): Promise<void> {
  const askedAtMs = performance.now();
  setIdentifierClock((await readClock(pool)).getTime() + 1 - askedAtMs);
}
