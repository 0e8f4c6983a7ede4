/** A larger change is no ordinary correction: the clock was wrong before, or is wrong now. */
const STEP_MS = 10 * 60_000;
/** Time to notice a clock that was set wrong by mistake, and to set it back. */
const HOLD_MS = 60_000;

/** `stepped`: the clock was set forward since the last look. `held`: it was a short time ago. In both cases nothing final may be done. */
export type ClockFinding = 'steady' | 'stepped' | 'held';

/**
 * Notices that a clock is set forward, by a second clock that nobody sets. Jobs that are due by the first clock do what is final: they
 * fail pending contributions and close settlements. So they are held for {@link HOLD_MS}, or until the clock is set back.
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
    if (steppedMs >= STEP_MS) {
      this.#heldUntilMs = steadyMs + HOLD_MS;
      return 'stepped';
    }
    return steadyMs < this.#heldUntilMs ? 'held' : 'steady';
  }
}
