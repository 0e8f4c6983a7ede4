import { LRUCache } from 'lru-cache';
import { waitSecondsAfter } from '../../domain/access/sign-in-attempts.ts';

interface Attempts {
  readonly count: number;
  readonly lastAtMs: number;
}

const REMEMBERED_MAX = 10_000;

/**
 * Counts attempts to sign in where there is no password, as the database counts those of an operator who has one: otherwise the wait would
 * tell who has an account. In memory, of the logins that were tried last.
 */
export class UnknownLogins {
  readonly #attempts = new LRUCache<string, Attempts>({ max: REMEMBERED_MAX });

  /** @returns 0 when the attempt may be made; else after how many seconds. */
  claimAttempt(login: string): number {
    const nowMs = performance.now();
    const { count, lastAtMs } = this.#attempts.get(login) ?? { count: 0, lastAtMs: nowMs };
    const leftMs = lastAtMs + waitSecondsAfter(count) * 1_000 - nowMs;
    if (leftMs > 0) return Math.ceil(leftMs / 1_000);
    this.#attempts.set(login, { count: count + 1, lastAtMs: nowMs });
    return 0;
  }
}
