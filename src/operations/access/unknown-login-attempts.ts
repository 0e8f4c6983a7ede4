import { LRUCache } from 'lru-cache';
import { waitSecondsAfter } from '../../domain/access/sign-in-attempts.ts';
import type { Database } from '../../store/database.ts';

interface Attempts {
  readonly count: number;
  readonly lastAtMs: number;
}

const REMEMBERED_MAX = 10_000;
const attemptsOf = new WeakMap<Database['pool'], LRUCache<string, Attempts>>();

/**
 * Counts an attempt to sign in where there is no password, as the database counts those of an operator who has one: otherwise the wait
 * would tell who has an account. Each process counts its own, of the logins that were tried last.
 *
 * @returns 0 when it may be made; else after how many seconds.
 */
export function claimUnknownAttempt({ pool }: Pick<Database, 'pool'>, login: string): number {
  const known = attemptsOf.get(pool) ?? new LRUCache<string, Attempts>({ max: REMEMBERED_MAX });
  attemptsOf.set(pool, known);
  const nowMs = performance.now();
  const { count, lastAtMs } = known.get(login) ?? { count: 0, lastAtMs: nowMs };
  const leftMs = lastAtMs + waitSecondsAfter(count) * 1_000 - nowMs;
  if (leftMs > 0) return Math.ceil(leftMs / 1_000);
  known.set(login, { count: count + 1, lastAtMs: nowMs });
  return 0;
}
