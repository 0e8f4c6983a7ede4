import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const LOOK_EVERY_MS = 10;
/** Longer than anything takes on a busy machine: it bounds a test that would otherwise hang, and measures nothing. */
const WITHIN_MS = 60_000;

type Given<Value> = Exclude<Value, false | undefined | null>;

/**
 * Looks again and again until the condition gives something.
 *
 * @param what What is waited for, in words that complete "There was no …".
 * @param condition Gives `false`, `undefined` or `null` while there is none.
 * @param show What was there instead, for the failure.
 * @returns What the condition gave.
 * @throws Error It did not come within a minute.
 */
export async function waitFor<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  show: () => unknown = () => undefined,
): Promise<Given<Value>> {
  for (const since = performance.now(); ; await sleep(LOOK_EVERY_MS)) {
    const given = await condition();
    if (given !== false && given !== undefined && given !== null) return given as Given<Value>;
    if (performance.now() - since < WITHIN_MS) continue;
    const seen = await show();
    const instead = seen === undefined ? '' : `: ${inspect(seen, { depth: 5 })}`;
    throw new Error(`There was no ${what} within ${WITHIN_MS / 1_000} s${instead}`);
  }
}
