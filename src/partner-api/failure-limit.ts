import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../domain/service-error.ts';
import { addressGroup } from './client-address.ts';

/** Wrong keys that one address may try in a minute: a mistyped key in a loop is told apart, a guesser is slowed down. */
const FAILURES_MAX = 200;
const WINDOW_SECONDS = 60;

export interface FailureLimit {
  /** Counts one wrong key. Throws `rate_limited` when the address has tried too many. */
  count(address: string): Promise<void>;
}

/** @see decisions, section 6: the limit refuses only requests whose key is not valid. */
export function failureLimit(): FailureLimit {
  const limiter = new RateLimiterMemory({ points: FAILURES_MAX, duration: WINDOW_SECONDS });
  return {
    async count(address) {
      try {
        await limiter.consume(addressGroup(address));
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const headers = { 'retry-after': String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))) };
        throw new ServiceError('rate_limited', 'Too many requests with a wrong API key came from this address. Check the key.', {
          headers,
        });
      }
    },
  };
}
