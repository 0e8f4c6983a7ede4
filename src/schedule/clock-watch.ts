/** A difference by which the clock of a server is not corrected while it runs, unless it was wrong, or is now. */
const STEP_MS = 10 * 60_000;
/** Somebody who sets a clock wrong notices within this time. */
const HOLD_MS = 60_000;

/** What a look at the clock found: `held` as long as nothing final may be done by it. */
export type ClockFinding = 'steady' | 'stepped' | 'held';

/**
 * Notices that a clock was set forward while it was watched, by a second clock that nobody sets. What is done by the time is final: a
 * pending contribution expires, a settlement is closed. So it waits for {@link HOLD_MS}, and goes on at once if the clock is set back.
 */
export class ClockWatch {
  #aheadMs: number | undefined;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  /**
   * @param watched The time of the watched clock.
   * @param steadyMs Milliseconds from any start, at about the same moment.
   */
  look(watched: Date, steadyMs: number): ClockFinding {
    const aheadMs = watched.getTime() - steadyMs;
    const steppedMs = aheadMs - (this.#aheadMs ?? aheadMs);
    this.#aheadMs = aheadMs;
    if (steppedMs <= -STEP_MS) this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    if (steppedMs >= STEP_MS) this.#heldUntilMs = steadyMs + HOLD_MS;
    if (steppedMs >= STEP_MS) return 'stepped';
    return steadyMs < this.#heldUntilMs ? 'held' : 'steady';
  }
}
