import { LRUCache } from 'lru-cache';
import type { Limit } from '../../domain/limit-names.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { TokenBucket } from './token-bucket.ts';

/** Far more partners than use up such a limit within a minute; the bucket of any other would be full again anyway. */
const PARTNERS_MAX = 10_000;

export interface MinuteLimit {
  /** So many at once, and so many more in each minute: in the minute after a pause nearly twice as many. */
  readonly perMinute: number;
  readonly limit: Limit;
  /** Begins the error message. */
  readonly sentence: string;
}

/**
 * Limits what each partner does at once and in the long run, in this process.
 *
 * @returns A function that throws `rate_limited` beyond the limit.
 */
export function limitPerMinute({ perMinute, limit, sentence }: MinuteLimit): (partnerId: string) => void {
  const policy = { perSecond: perMinute / 60, capacity: perMinute };
  const buckets = new LRUCache<string, TokenBucket>({ max: PARTNERS_MAX });
  return (partnerId) => {
    const bucket = buckets.get(partnerId) ?? new TokenBucket();
    buckets.set(partnerId, bucket);
    const { isTaken, waitMs } = bucket.take(policy, performance.now());
    if (isTaken) return;
    const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
    throw new ServiceError('rate_limited', `${sentence} Retry after the time in Retry-After.`, { limit, headers });
  };
}
