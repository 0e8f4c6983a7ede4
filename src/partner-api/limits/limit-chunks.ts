import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Limit } from '../../domain/limit-names.ts';
import type { AnswerClientError } from '../http/node-answers.ts';
import { BODY_MAX_BYTES } from '../http/read-body.ts';
import { takesList } from '../http/request-time.ts';

/** So many chunks any body but a list may have, and one more for each {@link BYTES_OF_ONE_CHUNK} of the {@link BODY_MAX_BYTES} that it may have. */
const CHUNKS_MAX = 1_024;
const BYTES_OF_ONE_CHUNK = 16;
/** So many may come of a list after its answer, and one more for each {@link BYTES_OF_ONE_CHUNK}: more than one that is sent line by line has. */
const CHUNKS_AFTER_ANSWER_MAX = 4_096;

export interface ChunkLimitOptions {
  readonly answer: AnswerClientError;
  /** Called when this limit ended a request. */
  readonly onLimit: (limit: Limit) => void;
}

/**
 * Ends a request whose body arrives in very many small chunks: each takes the process about as long as a large one. What is left of a body
 * after its answer is read and counts too: a client that sends first and reads then gets the answer. A list is exempt until
 * its answer, because programs send it value by value, and it has limits of its own.
 */
export function limitChunks(handle: RequestListener, options: ChunkLimitOptions): RequestListener {
  return (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined) countChunks(request, response, options);
    handle(request, response);
  };
}

function countChunks(request: IncomingMessage, response: ServerResponse, { answer, onLimit }: ChunkLimitOptions): void {
  const { socket } = request;
  let [chunks, bytes, isEnded] = [0, 0, false];
  const isList = takesList(request);
  const isTooMany = () =>
    isList
      ? chunks > CHUNKS_AFTER_ANSWER_MAX + bytes / BYTES_OF_ONE_CHUNK
      : chunks > CHUNKS_MAX + Math.min(bytes, BODY_MAX_BYTES) / BYTES_OF_ONE_CHUNK;
  const end = () => {
    isEnded = true;
    onLimit('request_chunks');
    socket.pause();
    skipRead(socket);
    if (response.writableEnded) socket.destroy();
    else answer(Object.assign(new Error('Too many small chunks'), { code: 'ERR_SMALL_CHUNKS' }), socket);
  };
  const push = request.push.bind(request);
  // The parser hands each chunk over here.
  request.push = (chunk: Buffer | null, encoding) => {
    // The body must not seem to end here.
    if (isEnded) {
      skipRead(socket);
      return false;
    }
    if (chunk === null || (isList && !response.writableEnded)) return push(chunk, encoding);
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

/** Node's parser, which it uses for one connection after another; it calls the function under this key with each chunk. */
interface BodyParser {
  readonly constructor: { readonly kOnBody?: number };
  [key: number]: unknown;
}

/**
 * Lets the parser pass over what it has read already, up to 64 KiB: a call for each of its chunks would take 8 ms. Node has no interface for
 * it. The parser has its function again before the event loop reads from any connection once more, so that none that gets it misses a chunk.
 */
function skipRead(socket: Socket & { readonly parser?: BodyParser | null }): void {
  const { parser } = socket;
  const key = parser?.constructor.kOnBody;
  if (!parser || key === undefined) return;
  const onBody = parser[key];
  if (typeof onBody !== 'function') return;
  parser[key] = null;
  setImmediate(() => {
    parser[key] = onBody;
  });
}
