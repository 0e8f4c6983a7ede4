import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../domain/service-error.ts';
import type { Credential } from '../../store/access/api-key.ts';
import type { RequestContext } from '../request-context.ts';
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
 * @see docs/spec/decisions.md#6-rate-limits. The headers `RateLimit` and `RateLimit-Policy` are advisory.
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
    const bucket = (partners.get(caller.partnerId) ?? open(caller.partnerId))[trafficClass];
    const { isTaken, left, waitMs } = bucket.take({ perSecond: share, capacity: share * BURST_SECONDS }, performance.now());
    reply.header('ratelimit-policy', `"${trafficClass}";q=${rate * BURST_SECONDS};w=${BURST_SECONDS}`);
    if (!isTaken) throw rateLimited(trafficClass, rate, Math.max(1, Math.ceil(waitMs / 1000)));
    reply.header('ratelimit', `"${trafficClass}";r=${left};t=1`);
    return bucket;
  };
}

const BYTES_OF_ONE_REQUEST = 8_192;
const MEMBERS_OF_ONE_REQUEST = 200;
/** A shorter body has fewer members: one takes at least four bytes. */
const SMALL_BODY_BYTES = 4 * MEMBERS_OF_ONE_REQUEST;
const COLON = 0x3a;

/**
 * A body counts as one request for each 8 KiB, or for each 200 members when that is more: reading 64 KiB, or thousands of members, takes
 * as long as many usual bodies.
 *
 * @throws ServiceError `rate_limited` for another such body before the tokens of the last ones have come in; it is not read then.
 */
export function chargeBody({ rate }: Pick<RequestContext, 'rate'>, body: Uint8Array): void {
  if (body.byteLength <= SMALL_BODY_BYTES || rate === undefined) return;
  const members = countColons(body);
  const requests = Math.ceil(Math.max(body.byteLength / BYTES_OF_ONE_REQUEST, members / MEMBERS_OF_ONE_REQUEST));
  if (requests <= 1) return;
  if (rate.owedMs > 0) throw bodyLimited(Math.ceil(rate.owedMs / 1_000));
  rate.charge(requests - 1);
}

/** At least the number of members. */
function countColons(body: Uint8Array): number {
  let count = 0;
  for (let at = body.indexOf(COLON); at !== -1; at = body.indexOf(COLON, at + 1)) count++;
  return count;
}

function bodyLimited(retryAfterSeconds: number): ServiceError {
  const message =
    `A body counts as a request for each 8 KiB and for each ${MEMBERS_OF_ONE_REQUEST} members, and the rate is spent. ` +
    `Wait ${retryAfterSeconds} s (Retry-After), then send the same request again.`;
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': String(retryAfterSeconds) }, limit: 'rate' });
}

function rateLimited(trafficClass: TrafficClass, rate: number, retryAfterSeconds: number): ServiceError {
  const message = `More than ${rate} ${trafficClass} a second. Wait ${retryAfterSeconds} s (Retry-After), then send the same request again.`;
  const headers = { 'retry-after': String(retryAfterSeconds), ratelimit: `"${trafficClass}";r=0;t=${retryAfterSeconds}` };
  return new ServiceError('rate_limited', message, { headers, limit: 'rate' });
}
