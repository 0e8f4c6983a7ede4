import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../domain/service-error.ts';
import { TokenBucket } from './token-bucket.ts';

/**
 * The most changes of its own endpoints that a partner makes in a minute: each writes an audit entry, and all changes wait for the audit
 * chain in turn.
 */
const CHANGES_PER_MINUTE = 60;

const PACE = { perSecond: CHANGES_PER_MINUTE / 60, capacity: CHANGES_PER_MINUTE };
const PARTNERS_MAX = 10_000;

/**
 * For one process.
 *
 * @returns A function that throws `rate_limited` beyond the limit.
 */
export function endpointChangeLimit(): (partnerId: string) => void {
  const buckets = new LRUCache<string, TokenBucket>({ max: PARTNERS_MAX });
  return (partnerId) => {
    const bucket = buckets.get(partnerId) ?? new TokenBucket();
    buckets.set(partnerId, bucket);
    const { isTaken, waitMs } = bucket.take(PACE, performance.now());
    if (isTaken) return;
    const message = `A partner changes its endpoints at most ${CHANGES_PER_MINUTE} times a minute. Retry after the time in Retry-After.`;
    const headers = { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) };
    throw new ServiceError('rate_limited', message, { limit: 'endpoint_changes', headers });
  };
}
