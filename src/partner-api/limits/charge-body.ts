import { ServiceError } from '../../domain/service-error.ts';
import type { RequestContext } from '../request-context.ts';

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
