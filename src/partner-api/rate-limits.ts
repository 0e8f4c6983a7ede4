import type { FastifyReply } from 'fastify';
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../domain/service-error.ts';
import type { Credential } from '../store/api-key.ts';
import type { TrafficClass } from './request-context.ts';

/** A partner may send its rate once more, all at once, in every window of so many seconds: the burst is twice the rate. */
const BURST_WINDOW_SECONDS = 10;

const RATES = {
  writes: 'writesPerSecond',
  lookups: 'lookupsPerSecond',
  reports: 'reportsPerSecond',
} as const satisfies Record<TrafficClass, keyof Credential>;

export type LimitRate = (caller: Credential, trafficClass: TrafficClass, reply: FastifyReply) => Promise<void>;

/**
 * Counts a request against its partner's rate for its class, so that writes never starve recovery.
 *
 * Throws `rate_limited` with `Retry-After` in whole seconds; nothing is stored then.
 *
 * @param processes How many share the port, each counting for itself: each takes its share of the rate.
 * @see decisions, section 6. The headers `RateLimit` and `RateLimit-Policy` are advisory.
 */
export function rateLimits(processes: number): LimitRate {
  const limiters = new Map<number, BurstyRateLimiter>();
  return async (caller, trafficClass, reply) => {
    const rate = caller[RATES[trafficClass]];
    const share = Math.ceil(rate / processes);
    const limiter = limiters.get(share) ?? remember(limiters, share);
    reply.header('ratelimit-policy', `"${trafficClass}";q=${rate};w=1`);
    try {
      const { remainingPoints } = await limiter.consume(`${trafficClass} ${caller.partnerId}`);
      reply.header('ratelimit', `"${trafficClass}";r=${remainingPoints};t=1`);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw rateLimited(trafficClass, rate, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
    }
  };
}

function remember(limiters: Map<number, BurstyRateLimiter>, rate: number): BurstyRateLimiter {
  const limiter = new BurstyRateLimiter(
    new RateLimiterMemory({ keyPrefix: 'rate', points: rate, duration: 1 }),
    new RateLimiterMemory({ keyPrefix: 'burst', points: rate, duration: BURST_WINDOW_SECONDS }),
  );
  limiters.set(rate, limiter);
  return limiter;
}

function rateLimited(trafficClass: TrafficClass, rate: number, retryAfterSeconds: number): ServiceError {
  const message = `More than ${rate} ${trafficClass} a second. Wait ${retryAfterSeconds} s (Retry-After), then send the same request again.`;
  const headers = { 'retry-after': String(retryAfterSeconds), ratelimit: `"${trafficClass}";r=0;t=${retryAfterSeconds}` };
  return new ServiceError('rate_limited', message, { headers });
}
