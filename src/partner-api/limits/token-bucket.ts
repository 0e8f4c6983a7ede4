/** A bucket that gains this many tokens a second, up to its size. */
export interface BucketOptions {
  readonly perSecond: number;
  readonly capacity: number;
}

export interface TokenTaken {
  readonly isTaken: boolean;
  /** Whole tokens left. */
  readonly left: number;
  /** The time until the next token; 0 when there is one. */
  readonly waitMs: number;
}

/** The greatest rounding error of the tokens of many fractions of a second. */
const ROUNDING = 1e-6;

/** Full at first. */
export class TokenBucket {
  #tokens = Number.POSITIVE_INFINITY;
  #countedAtMs = 0;
  #perSecond = 1;

  /**
   * Takes a token if there is one. The policy may change from one call to the next: a rate that an operator changes takes effect at once.
   *
   * @param nowMs of a clock that does not go back
   */
  take({ perSecond, capacity }: BucketOptions, nowMs: number): TokenTaken {
    const tokens = Math.min(capacity, this.#tokens + ((nowMs - this.#countedAtMs) * perSecond) / 1_000);
    const isTaken = tokens >= 1 - ROUNDING;
    this.#tokens = isTaken ? tokens - 1 : tokens;
    this.#countedAtMs = nowMs;
    this.#perSecond = perSecond;
    const missing = Math.max(0, 1 - this.#tokens);
    return { isTaken, left: Math.max(0, Math.floor(this.#tokens + ROUNDING)), waitMs: (missing * 1_000) / perSecond };
  }

  /** The time until charged tokens have come in, as of the last take; 0 without a charge. */
  get owedMs(): number {
    return (Math.max(0, -this.#tokens) * 1_000) / this.#perSecond;
  }

  /** Takes more tokens for a request that turned out to cost more; when there are too few, the next requests wait for them. */
  charge(tokens: number): void {
    this.#tokens -= tokens;
  }
}
