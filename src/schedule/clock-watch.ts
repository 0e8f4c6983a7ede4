/** A larger change is no ordinary correction: the clock was wrong before, or is wrong now. */
const STEP_MS = 10 * 60_000;
/** Time to notice a clock that was set wrong by mistake, and to set it back. */
const HOLD_MS = 60_000;

/**
 * `stepped`: the clock was set forward since the last look, or the machine was suspended. `held`: it was a short time ago. In both cases
 * nothing final may be done.
 */
export type ClockFinding = 'steady' | 'stepped' | 'held';

/** Why what was under way stopped. */
export class ClockSetForwardError extends Error {
  override readonly name = 'ClockSetForwardError';

  constructor(to: Date) {
    super(
      `The clock of the database is ten minutes or more further than this process counted, at ${to.toISOString()}: it was set forward, or this machine was suspended. Jobs wait a minute.`,
    );
  }
}

/**
 * Notices that a clock is set forward, by a second clock that nobody sets; where the second one stood still, because the machine was
 * suspended, it finds the same. Jobs that are due by the first clock do what is final: they fail pending contributions and close
 * settlements. So they are held for {@link HOLD_MS}, or until the clock is set back to where it was.
 */
export class ClockWatch {
  #next = new AbortController();
  #aheadMs: number | undefined;
  #hold: { readonly untilMs: number; readonly aheadBeforeMs: number } | undefined;

  /** Aborted by the next look that finds the clock set forward, with a {@link ClockSetForwardError}. */
  get nextStep(): AbortSignal {
    return this.#next.signal;
  }

  /**
   * @param watched The time of the watched clock.
   * @param steadyMs Milliseconds from any start, at about the same moment.
   */
  look(watched: Date, steadyMs: number): ClockFinding {
    const aheadMs = watched.getTime() - steadyMs;
    const lastMs = this.#aheadMs ?? aheadMs;
    this.#aheadMs = aheadMs;
    if (this.#hold && (steadyMs >= this.#hold.untilMs || aheadMs < this.#hold.aheadBeforeMs + STEP_MS)) this.#hold = undefined;
    if (aheadMs - lastMs >= STEP_MS) {
      this.#hold = { untilMs: steadyMs + HOLD_MS, aheadBeforeMs: this.#hold?.aheadBeforeMs ?? lastMs };
      this.#next.abort(new ClockSetForwardError(watched));
      this.#next = new AbortController();
      return 'stepped';
    }
    return this.#hold ? 'held' : 'steady';
  }
}
