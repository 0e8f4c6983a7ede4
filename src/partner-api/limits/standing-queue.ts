/** With this many in flight the service begins to refuse requests, until few are in flight. */
const FULL = 640;
/** While it refuses: the requests in flight of one partner should be done within this time, at the current throughput. */
const TARGET_MS = 50;
/** The least that fits of one partner. With fewer in flight, commits would be half empty. */
const FITTING_MIN = 128;
const WINDOW_MS = 100;

/**
 * Distinguishes a burst from a standing queue. A burst drains by itself and is served completely. Once the service is full, requests
 * arrive faster than it works: a long queue would only make every answer late, so a partner that fills it may have fewer in flight until
 * the queue is short again.
 *
 * @see docs/decisions/0073-overload.md#decision
 */
export class StandingQueue {
  #endedInWindow = 0;
  #windowSinceMs = Number.NEGATIVE_INFINITY;
  #fitting = FULL;
  #isStanding = false;

  /** The number of requests in flight now. */
  observe(inFlight: number, nowMs: number): void {
    if (nowMs - this.#windowSinceMs >= WINDOW_MS) this.#endWindow(nowMs);
    if (inFlight >= FULL) this.#isStanding = true;
    else if (inFlight < this.#fitting / 2) this.#isStanding = false;
  }

  /** A request was answered. */
  countEnd(): void {
    this.#endedInWindow++;
  }

  /** How many one partner may have in flight of `max` in a burst. */
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
