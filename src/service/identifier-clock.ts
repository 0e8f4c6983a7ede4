import { setIdentifierTime } from '../domain/identifiers.ts';
import { readClock } from '../store/clock.ts';
import type { Database } from '../store/database.ts';

/**
 * New identifiers carry the database's time, whatever the machine takes for now.
 *
 * @param aheadMs How far the database's clock is ahead of `performance.now()`.
 */
export function setIdentifierClock(aheadMs: number): void {
  setIdentifierTime(() => performance.now() + aheadMs);
}

/** {@link setIdentifierClock} by one look. */
export async function readIdentifierClock({ pool }: Database): Promise<void> {
  setIdentifierClock((await readClock(pool)).getTime() - performance.now());
}
