/** How long a call goes on, and how long it waits before the next attempt. */
import { ConfigurationError } from '../errors.ts';

const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 10_000;
/** A longer `Retry-After` is a mistake of a proxy; within a call none of this length is ever waited for. */
export const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000;

export class Patience {
  readonly #endsAt: number;
  readonly #signal: AbortSignal | undefined;
  #pauses = 0;

  /** @param deadlineMs No attempt begins later, by the monotonic clock: setting the system's clock changes nothing. */
  constructor(deadlineMs: number, signal: AbortSignal | undefined) {
    if (typeof deadlineMs !== 'number' || !(deadlineMs >= 0))
      throw new ConfigurationError('deadlineMs must be 0 milliseconds or more.');
    this.#endsAt = performance.now() + deadlineMs;
    this.#signal = signal;
  }

  /** Waits: longer each time, never less than `retryAfterMs`. @returns Whether there is time for another attempt. */
  async pause(retryAfterMs: number): Promise<boolean> {
    const backOffMs = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** this.#pauses++);
    const pauseMs = Math.max(retryAfterMs, backOffMs / 2) + (Math.random() * backOffMs) / 2;
    if (this.#signal?.aborted || performance.now() + pauseMs > this.#endsAt) return false;
    await sleep(pauseMs, this.#signal);
    return !this.#signal?.aborted;
  }
}

/** Ends early, and without an error, when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

/** `Retry-After` in milliseconds, from seconds or a date of HTTP; 0 where it is neither, and 24 hours at most. */
export function readRetryAfter(text: string | null, nowMs = Date.now()): number {
  if (text === null) return 0;
  const isSeconds = /^[0-9]+$/.test(text.trim());
  const ms = isSeconds ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
