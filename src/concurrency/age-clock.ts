/** Less is a correction of the machine's clock, or a pause for which the limits of what is remembered leave room. */
const JUMP_MS = 2_000;

export interface AgeClock {
  /** Milliseconds from any start. */
  now(): number;
}

/**
 * A clock for the age of what is remembered. `performance.now()` stands still while the machine is suspended, and what was read before
 * would count as fresh for seconds after it. So this clock goes on by as much as the clock of the machine jumps, in either direction:
 * after a jump everything is old, and is read once too often where that clock was only set.
 *
 * @param machine The clock of the machine, in milliseconds since 1970.
 * @param steady The clock that nobody sets.
 */
export function openAgeClock(machine: () => number = Date.now, steady: () => number = () => performance.now()): AgeClock {
  let aheadMs = machine() - steady();
  let jumpedMs = 0;
  return {
    now() {
      const nowMs = steady();
      const movedMs = Math.abs(machine() - nowMs - aheadMs);
      if (movedMs > JUMP_MS) {
        aheadMs = machine() - nowMs;
        jumpedMs += movedMs;
      }
      return nowMs + jumpedMs;
    },
  };
}
