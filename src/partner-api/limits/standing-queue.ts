/** With so many in flight the service refuses requests, and goes on to until few are. */
const FULL = 640;
/** While it refuses: what one partner has in flight should be done within this time, at the present throughput. */
const TARGET_MS = 50;
/** Of one partner. Fewer would leave commits half empty. */
const FITTING_MIN = 128;
const WINDOW_MS = 100;

/**
 * Tells a burst from a queue that stands. A burst drains by itself and is served whole. Once the service is full, more comes than it can
 * do: a long queue would only make every answer late, so that a partner that fills it has fewer places until the queue is short again.
 *
 * @see docs/decisions/0073-overload.md#decision
 */
export class StandingQueue {
  #endedInWindow = 0;
  #windowSinceMs = Number.NEGATIVE_INFINITY;
  #fitting = FULL;
  #isStanding = false;

  /** So many requests are in flight now. */
  observe(inFlight: number, nowMs: number): void {
    if (nowMs - this.#windowSinceMs >= WINDOW_MS) this.#endWindow(nowMs);
    if (inFlight >= FULL) this.#isStanding = true;
    else if (inFlight < this.#fitting / 2) this.#isStanding = false;
  }

  /** A request was answered. */
  countEnd(): void {
    this.#endedInWindow++;
  }

  /** How many one partner may have in flight of what it may have `max` of in a burst. */
  limitOf(max: number): number {
    return this.#isStanding ? Math.ceil((max * this.#fitting) / FULL) : max;
  }

  #endWindow(nowMs: number): void {
    const fitting = (this.#endedInWindow * TARGET_MS) / (nowMs - this.#windowSinceMs);
    this.#fitting = Math.min(FULL, Math.max(FITTING_MIN, fitting));
    this.#endedInWindow = 0;
    this.#windowSinceMs = nowMs;
  }
}
