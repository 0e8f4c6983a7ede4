/**
 * When a delivery is attempted again.
 *
 * @see docs/spec/decisions.md#7-events, Delivery.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first attempt, the second, and so on. */
const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** The first attempt and every retry. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

const JITTER_SHARE = 0.2;
const RETRY_AFTER_MAX_MS = 24 * HOUR;

/** No attempt is due later than this after the one before it. */
export const DELAY_MAX_MS = Math.max(...RETRY_DELAYS_MS, RETRY_AFTER_MAX_MS) * (1 + JITTER_SHARE);

/**
 * The delay after a failed attempt.
 *
 * @param attemptsLeft How many attempts may follow the failed one: one less than {@link ATTEMPTS_MAX} after the first, 0 after the last.
 * @param retryAfterMs The delay that a 429 or 503 asked for; the later of the two counts, 24 hours at most.
 * @param fraction 0 to 1, random with equal distribution: spreads deliveries that failed together over 20 % before and after.
 * @returns `undefined` when no attempts are left.
 */
export function retryDelayMs(attemptsLeft: number, retryAfterMs: number | undefined, fraction: number): number | undefined {
  const delay = RETRY_DELAYS_MS[RETRY_DELAYS_MS.length - attemptsLeft];
  if (delay === undefined) return undefined;
  const spread = delay * (1 - JITTER_SHARE + 2 * JITTER_SHARE * fraction);
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)));
}

interface DeliveryAnswer {
  /** `null` without an answer. */
  readonly status: number | null;
  readonly retryAfter: string | undefined;
}

/**
 * The header `Retry-After` in milliseconds from now: whole seconds, or an HTTP date. Only a 429 or 503 may ask for a time.
 *
 * @returns `undefined` for any other status or value, and for a past time.
 */
export function readRetryAfter({ status, retryAfter }: DeliveryAnswer, now: Date): number | undefined {
  const mayAsk = status === 429 || status === 503;
  // White space behind a value is no part of it: RFC 9110, section 5.5.
  const value = retryAfter?.trim();
  if (!mayAsk || value === undefined) return undefined;
  if (/^\d{1,10}$/.test(value)) return Number(value) * SECOND;
  const at = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  const delay = at - now.getTime();
  return delay > 0 ? delay : undefined;
}
