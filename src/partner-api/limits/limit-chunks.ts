import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Limit } from '../../domain/limit-names.ts';
import type { AnswerClientError } from '../http/node-answers.ts';
import { BODY_MAX_BYTES } from '../http/read-body.ts';
import { takesList } from '../http/request-time.ts';

/** So many chunks any body but a list may have, and one more for each {@link BYTES_OF_ONE_CHUNK} of the {@link BODY_MAX_BYTES} that it may have. */
const CHUNKS_MAX = 1_024;
const BYTES_OF_ONE_CHUNK = 16;

export interface ChunkLimitOptions {
  readonly answer: AnswerClientError;
  /** Called when this limit ended a request. */
  readonly onLimit: (limit: Limit) => void;
}

/**
 * Ends a request whose body arrives in very many small chunks: each takes the process about as long as a large one. What is left of a body
 * after its answer is read and counts too: a client that sends first and reads then gets the answer. A list is exempt, because programs send
 * it value by value, and it has limits of its own.
 */
export function limitChunks(handle: RequestListener, options: ChunkLimitOptions): RequestListener {
  return (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined && !takesList(request)) countChunks(request, response, options);
    handle(request, response);
  };
}

function countChunks(request: IncomingMessage, response: ServerResponse, { answer, onLimit }: ChunkLimitOptions): void {
  const { socket } = request;
  let [chunks, bytes, isEnded] = [0, 0, false];
  const isTooMany = () => chunks > CHUNKS_MAX + Math.min(bytes, BODY_MAX_BYTES) / BYTES_OF_ONE_CHUNK;
  const end = () => {
    isEnded = true;
    onLimit('request_chunks');
    socket.pause();
    if (response.writableEnded) socket.destroy();
    else answer(Object.assign(new Error('Too many small chunks'), { code: 'ERR_SMALL_CHUNKS' }), socket);
  };
  const push = request.push.bind(request);
  // The parser hands each chunk over here.
  request.push = (chunk: Buffer | null, encoding) => {
    // What was read already, at most 64 KiB, still comes; the body must not seem to end here.
    if (isEnded) return false;
    if (chunk === null) return push(chunk, encoding);
    chunks++;
    bytes += chunk.byteLength;
    if (!isTooMany()) return push(chunk, encoding);
    end();
    return false;
  };
  // Node would throw the rest of an unread body away before anybody counts it.
  response.prependOnceListener('finish', () => {
    if (request.complete || request.destroyed) return;
    request.read(0);
    request.resume();
  });
}
