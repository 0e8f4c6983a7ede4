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
const VALUES_OF_ONE_REQUEST = 200;
/** Such a number is read from its source, and may have 309 digits in the canonical payload: `1e300`. */
const EXPONENTS_OF_ONE_REQUEST = 20;
/** A shorter body, as all usual ones are, has no more than 200 values, and takes about a millisecond whatever it holds: it is not looked through. */
const SMALL_BODY_BYTES = 2 * VALUES_OF_ONE_REQUEST;
const COLON = 0x3a;
const COMMA = 0x2c;
const NUMBER_WITH_EXPONENT = /[[:,\s]-?\d[\d.]*[eE][-+]?\d/g;

/**
 * A body counts as one request for each 8 KiB, for each 200 members or elements, or for each 20 numbers with an exponent, whichever is
 * most: to read 64 KiB, or thousands of values, takes as long as many usual bodies.
 *
 * @throws ServiceError `rate_limited` for another such body before the tokens of the last ones have come in; it is not read then.
 */
export function chargeBody({ rate }: Pick<RequestContext, 'rate'>, body: Buffer): void {
  if (body.byteLength <= SMALL_BODY_BYTES || rate === undefined) return;
  const requests = Math.ceil(
    Math.max(
      body.byteLength / BYTES_OF_ONE_REQUEST,
      count(body, COLON) / VALUES_OF_ONE_REQUEST,
      count(body, COMMA) / VALUES_OF_ONE_REQUEST,
      countExponents(body) / EXPONENTS_OF_ONE_REQUEST,
    ),
  );
  if (requests <= 1) return;
  if (rate.owedMs > 0) throw bodyLimited(Math.ceil(rate.owedMs / 1_000));
  rate.charge(requests - 1);
}

/** Colons are at least the members, commas about the members and elements: some may stand in texts. */
function count(body: Buffer, byte: number): number {
  let found = 0;
  for (let at = body.indexOf(byte); at !== -1; at = body.indexOf(byte, at + 1)) found++;
  return found;
}

function countExponents(body: Buffer): number {
  return body.toString('latin1').match(NUMBER_WITH_EXPONENT)?.length ?? 0;
}

function bodyLimited(retryAfterSeconds: number): ServiceError {
  const message =
    `A body counts as a request for each 8 KiB, each ${VALUES_OF_ONE_REQUEST} members or elements and each ${EXPONENTS_OF_ONE_REQUEST} exponents, ` +
    'and the rate is spent. ' +
    `Wait ${retryAfterSeconds} s (Retry-After), then send the same request again.`;
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': String(retryAfterSeconds) }, limit: 'rate' });
}

function rateLimited(trafficClass: TrafficClass, rate: number, retryAfterSeconds: number): ServiceError {
  const message = `More than ${rate} ${trafficClass} a second. Wait ${retryAfterSeconds} s (Retry-After), then send the same request again.`;
  const headers = { 'retry-after': String(retryAfterSeconds), ratelimit: `"${trafficClass}";r=0;t=${retryAfterSeconds}` };
  return new ServiceError('rate_limited', message, { headers, limit: 'rate' });
}
