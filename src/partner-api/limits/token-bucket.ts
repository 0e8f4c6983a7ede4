/** A bucket with so many tokens a second, and room for so many. */
export interface BucketOptions {
  readonly perSecond: number;
  readonly capacity: number;
}

export interface Taken {
  readonly isTaken: boolean;
  /** Whole tokens that are left. */
  readonly left: number;
  /** Until the next token is there; 0 where there is one. */
  readonly waitMs: number;
}

/** What the tokens of many fractions of a second may be wrong by. */
const ROUNDING = 1e-6;

/** Full at first. */
export class TokenBucket {
  #tokens = Number.POSITIVE_INFINITY;
  #countedAtMs = 0;
  #perSecond = 1;

  /**
   * Takes a token if there is one. The policy may differ from one time to the next: a rate that an operator changes holds at once.
   *
   * @param nowMs of a clock that does not go back
   */
  take({ perSecond, capacity }: BucketOptions, nowMs: number): Taken {
    const tokens = Math.min(capacity, this.#tokens + ((nowMs - this.#countedAtMs) * perSecond) / 1_000);
    const isTaken = tokens >= 1 - ROUNDING;
    this.#tokens = isTaken ? tokens - 1 : tokens;
    this.#countedAtMs = nowMs;
    this.#perSecond = perSecond;
    const missing = Math.max(0, 1 - this.#tokens);
    return { isTaken, left: Math.max(0, Math.floor(this.#tokens + ROUNDING)), waitMs: (missing * 1_000) / perSecond };
  }

  /** Until what was charged beyond its tokens has come in, as of the last take; 0 where nothing was. */
  get owedMs(): number {
    return (Math.max(0, -this.#tokens) * 1_000) / this.#perSecond;
  }

  /** Takes more for what turned out to cost more; where there is not so much, the next ones wait for it. */
  charge(tokens: number): void {
    this.#tokens -= tokens;
  }
}
