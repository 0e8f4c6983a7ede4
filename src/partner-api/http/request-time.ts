import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import type { AnswerClientError } from './node-answers.ts';

/** A request must arrive completely within this time. */
const REQUEST_TIMEOUT_MS = 5_000;
/** The longest time of any request; Node itself ends it. Longer than a list may take, whose sender gets an answer of its own. */
export const LONGEST_REQUEST_MS = 960_000;

/** A partner's list, which is longer and takes longer than other bodies may. */
const LISTS = /^\/v1\/settlements\/[^/?]+\/reconciliations(?:\?|$)/;

/** So long the rest of a list may take that is answered before it has arrived, and so many bytes it may have. */
const REST_OF_LIST_MS = 30_000;
const REST_OF_LIST_BYTES = LIST_LIMITS.bytes;

/**
 * Ends a request whose body does not arrive in time, in Node's own way. One that is answered already gets no second answer: the rest of its
 * body is read, and the connection closed where it does not end in time.
 */
export function limitRequestTime(handle: RequestListener, answer: AnswerClientError): RequestListener {
  return (request, response) => {
    if (hasBody(request)) limitBodyTime(request, response, answer);
    handle(request, response);
  };
}

function limitBodyTime(request: IncomingMessage, response: ServerResponse, answer: AnswerClientError): void {
  const { socket } = request;
  const isLong = takesList(request);
  const expire = () => {
    clear();
    if (request.complete) return;
    if (response.writableEnded) socket.destroy();
    else answer(Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  };
  let timer = isLong ? undefined : setTimeout(expire, REQUEST_TIMEOUT_MS);
  const clear = () => {
    clearTimeout(timer);
    socket.off('close', clear);
  };
  request.once('end', clear);
  response.once('close', () => {
    if (request.complete || socket.destroyed) return clear();
    if (isLong) {
      timer = setTimeout(expire, REST_OF_LIST_MS);
      onBytesBeyond(request, REST_OF_LIST_BYTES, expire);
    }
    socket.once('close', clear);
  });
}

/** Reads the rest of a body, and throws it away. */
function onBytesBeyond(request: IncomingMessage, bytesMax: number, callback: () => void): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) callback();
  });
}

/** @param request With its target in the form of `plainTarget`. */
export function takesList({ url = '' }: IncomingMessage): boolean {
  return LISTS.test(url);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
