import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../domain/service-error.ts';
import type { Credential } from '../../store/access/api-key.ts';
import type { TrafficClass } from '../route-policy.ts';
import { TokenBucket } from './token-bucket.ts';

/** A partner that was idle for this many seconds may send the requests of that time at once: the burst is twice the rate. */
const BURST_SECONDS = 2;

/** Far more partners than send within {@link BURST_SECONDS}; a bucket that was dropped in between would be full again anyway. */
const PARTNERS_MAX = 10_000;

const RATES = {
  writes: 'writesPerSecond',
  lookups: 'lookupsPerSecond',
  reports: 'reportsPerSecond',
} as const satisfies Record<TrafficClass, keyof Credential>;

/**
 * @returns The bucket that the request was counted in.
 */
export type LimitRate = (caller: Credential, trafficClass: TrafficClass, reply: FastifyReply) => TokenBucket;

type Buckets = Readonly<Record<TrafficClass, TokenBucket>>;

/**
 * Counts a request against its partner's rate for its class, so that writes never starve recovery. Throws `rate_limited` with
 * `Retry-After` in whole seconds; nothing is stored then.
 *
 * @param processes How many share the port, each with its share of the rate.
 * @see docs/spec/decisions.md#6-rate-limits. The headers `RateLimit` and `RateLimit-Policy` are advisory: they tell the share of this process.
 */
export function rateLimits(processes: number): LimitRate {
  const partners = new LRUCache<string, Buckets>({ max: PARTNERS_MAX });
  const open = (partnerId: string): Buckets => {
    const buckets = { writes: new TokenBucket(), lookups: new TokenBucket(), reports: new TokenBucket() };
    partners.set(partnerId, buckets);
    return buckets;
  };
  return (caller, trafficClass, reply) => {
    const rate = caller[RATES[trafficClass]];
    const share = Math.ceil(rate / processes);
    const policy = { perSecond: share, capacity: share * BURST_SECONDS };
    const bucket = (partners.get(caller.partnerId) ?? open(caller.partnerId))[trafficClass];
    const { isTaken, left, waitMs } = bucket.take(policy, performance.now());
    reply.header('ratelimit-policy', `"${trafficClass}";q=${policy.capacity};w=${BURST_SECONDS}`);
    if (!isTaken) throw rateLimited(trafficClass, { rate, share }, Math.max(1, Math.ceil(waitMs / 1000)));
    reply.header('ratelimit', `"${trafficClass}";r=${left};t=1`);
    return bucket;
  };
}

function rateLimited(
  trafficClass: TrafficClass,
  { rate, share }: { readonly rate: number; readonly share: number },
  retryAfterSeconds: number,
): ServiceError {
  const where = share === rate ? '' : ` at this process of the service, which grants its share of your ${rate} a second`;
  const message = `More than ${share} ${trafficClass} a second${where}. Wait ${retryAfterSeconds} s (Retry-After), then send the same request again.`;
  const headers = { 'retry-after': String(retryAfterSeconds), ratelimit: `"${trafficClass}";r=0;t=${retryAfterSeconds}` };
  return new ServiceError('rate_limited', message, { headers, limit: 'rate' });
}
