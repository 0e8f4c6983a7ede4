import type { IncomingMessage, RequestListener } from 'node:http';
import type { AnswerClientError } from './node-answers.ts';

/** A request must arrive completely within this time. */
const REQUEST_TIMEOUT_MS = 5_000;
/** The longest time of any request; Node itself ends it. */
export const LONGEST_REQUEST_MS = 900_000;

/** Node has one limit for all requests, and a partner's list takes longer than the others may. */
const LONG_REQUESTS = /^\/v1\/settlements\/[^/?]+\/reconciliations(?:\?|$)/;

/** Ends a request whose body does not arrive in time, in Node's own way. */
export function limitRequestTime(handle: RequestListener, answer: AnswerClientError): RequestListener {
  return (request, response) => {
    if (hasBody(request) && !LONG_REQUESTS.test(request.url ?? '')) {
      const timer = setTimeout(() => expire(request, answer), REQUEST_TIMEOUT_MS);
      const clear = () => clearTimeout(timer);
      request.once('end', clear);
      response.once('close', clear);
    }
    handle(request, response);
  };
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function expire({ complete, socket }: IncomingMessage, answer: AnswerClientError): void {
  if (!complete) answer(Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}
