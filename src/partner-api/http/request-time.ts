import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AnswerClientError } from './node-answers.ts';
import { RestOfBodies } from './transfers/rest-of-bodies.ts';

/** A request must arrive completely within this time. */
const REQUEST_TIMEOUT_MS = 5_000;
/** The longest time of any request; Node itself ends it. Longer than a list may take, whose sender gets an answer of its own. */
export const LONGEST_REQUEST_MS = 960_000;

/** A partner's list, which is longer and takes longer than other bodies may. */
const LISTS = /^\/v1\/settlements\/[^/?]+\/reconciliations(?:\?|$)/;

/**
 * Ends a request whose body does not arrive in time, in Node's own way. One that is answered already gets no second answer: the rest of its
 * body is read, and the connection closed where it does not end in time.
 */
export function limitRequestTime(handle: RequestListener, answer: AnswerClientError): RequestListener {
  const rests = new RestOfBodies();
  return (request, response) => {
    if (hasBody(request)) limitBodyTime(request, response, { answer, rests });
    handle(request, response);
  };
}

interface BodyTools {
  readonly answer: AnswerClientError;
  readonly rests: RestOfBodies;
}

function limitBodyTime(request: IncomingMessage, response: ServerResponse, { answer, rests }: BodyTools): void {
  const { socket } = request;
  const expire = () => {
    clear();
    if (request.complete) return;
    if (response.writableEnded) socket.destroy();
    else answer(Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  };
  const timer = takesList(request) ? undefined : setTimeout(expire, REQUEST_TIMEOUT_MS);
  let endRest = () => {};
  const clear = () => {
    clearTimeout(timer);
    endRest();
    socket.off('close', clear);
  };
  request.once('end', clear);
  response.once('close', () => {
    if (request.complete || socket.destroyed) return clear();
    endRest = rests.read(request, expire);
    socket.once('close', clear);
  });
}

/** @param request With its target in the form of `plainTarget`. */
export function takesList({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && LISTS.test(url);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
