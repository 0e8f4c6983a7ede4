import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LIST_LIMITS } from '../../domain/reconciliations/list-limits.ts';
import type { AnswerClientError } from './node-answers.ts';
import { LIST_READ_MAX_BYTES_PER_SECOND } from './watched-transfer.ts';

/** A request must arrive completely within this time. */
const REQUEST_TIMEOUT_MS = 5_000;
/** The longest time of any request; Node itself ends it. Longer than a list may take, whose sender gets an answer of its own. */
export const LONGEST_REQUEST_MS = 960_000;

/** A partner's list, which is longer and takes longer than other bodies may. */
const LISTS = /^\/v1\/settlements\/[^/?]+\/reconciliations(?:\?|$)/;

/**
 * The rest of a list that is answered before it has arrived: how long it may take, how many bytes it may have, and its least speed after
 * the first seconds. It is read no faster than lists are read, so that nobody's rest takes the processor of others.
 */
const REST_OF_LIST = { msMax: 30_000, bytesMax: LIST_LIMITS.bytes, unpacedMs: 5_000, bytesPerSecondMin: 256 * 1024 };
const REST_LOOK_EVERY_MS = 20;

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
  let release = isLong ? () => {} : expireAfter(REQUEST_TIMEOUT_MS, expire);
  const clear = () => {
    release();
    socket.off('close', clear);
  };
  request.once('end', clear);
  response.once('close', () => {
    if (request.complete || socket.destroyed) return clear();
    if (isLong) release = boundRest(socket, expire);
    socket.once('close', clear);
  });
}

function expireAfter(ms: number, expire: () => void): () => void {
  const timer = setTimeout(expire, ms);
  return () => clearTimeout(timer);
}

/**
 * Node reads the rest of an answered request and throws it away, as fast as it comes.
 *
 * @returns Ends the bounds: the rest has arrived.
 */
function boundRest(socket: Socket, expire: () => void): () => void {
  const { msMax, bytesMax, unpacedMs, bytesPerSecondMin } = REST_OF_LIST;
  const [startedAtMs, readBefore] = [performance.now(), socket.bytesRead];
  let isPaused = false;
  const pause = (paused: boolean) => {
    if (paused !== isPaused) socket[paused ? 'pause' : 'resume']();
    isPaused = paused;
  };
  const timer = setInterval(() => {
    const [ms, bytes] = [performance.now() - startedAtMs, socket.bytesRead - readBefore];
    const isSlow = ms > unpacedMs && bytes < (ms / 1_000) * bytesPerSecondMin;
    if (ms > msMax || bytes > bytesMax || isSlow) expire();
    else pause(bytes > (ms / 1_000) * LIST_READ_MAX_BYTES_PER_SECOND);
  }, REST_LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    pause(false);
  };
}

/** @param request With its target in the form of `plainTarget`. */
export function takesList({ url = '' }: IncomingMessage): boolean {
  return LISTS.test(url);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
