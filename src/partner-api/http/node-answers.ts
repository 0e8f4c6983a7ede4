import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { describeErrorCode } from '../../domain/error-codes.ts';
import type { Limit } from '../../domain/limit-names.ts';
import type { RecoverableOperation } from '../../domain/recovery-verdict.ts';
import { ServiceError, unavailable } from '../../domain/service-error.ts';
import { errorEnvelope } from '../errors.ts';
import { correlationIdOf } from './correlation-id.ts';
import type { AskedRoute } from './known-routes.ts';
import { type HttpSocket, STATUS_CODES } from './node-http.ts';

/** Answers that Node writes before Fastify sees a request. They carry the envelope and the header like all others. */

/** A client that reads nothing of such an answer, or sends on, has its connection for so long at most. */
const CLOSED_AFTER_MS = 5_000;

/** Refusals of Node's parser, and of limits before the framework, by their error code; any other code is a malformed request. */
const PARSER_REFUSALS: Record<string, ServiceError> = {
  HPE_HEADER_OVERFLOW: refusal(431, 'The header fields are larger than 16 KiB, or more than 1,000.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusal(413, 'The chunk extensions are too large.'),
  ERR_SMALL_CHUNKS: refusal(
    413,
    'The body arrives in too many small chunks. Send larger ones, or name its length in Content-Length.',
  ),
  // An earlier attempt with the same key may be recorded, so the answer gives no verdict.
  ERR_HTTP_REQUEST_TIMEOUT: unavailable('The request did not arrive completely in time; its outcome is unknown.', {
    status: 408,
    limit: 'request_late',
  }),
};
const MALFORMED = refusal(400, 'This is not a well-formed HTTP request.');
const NO_CONNECT = refusal(405, 'CONNECT is not supported.', { allow: 'GET, HEAD, POST' });

function refusal(status: number, message: string, headers: Record<string, string> = {}): ServiceError {
  return new ServiceError('invalid_request', message, { status, headers });
}

export type AnswerClientError = (error: NodeJS.ErrnoException, socket: HttpSocket) => void;

export interface NodeAnswers {
  /**
   * For a connection whose bytes are not HTTP. When a whole request of that connection is under way, a refusal would be read as its answer:
   * the sender gets the answer of the request, and then the connection is closed.
   */
  readonly answerClientError: AnswerClientError;
  /** An unknown expectation is handled like every request and refused there; CONNECT has no route. */
  answerWhatNodeWould(app: FastifyInstance): void;
}

/**
 * @param recoverableOf The operation that a request may have meant; a confirmation for one that nobody could read.
 */
export function nodeAnswers(
  recoverableOf: (asked: AskedRoute) => RecoverableOperation | undefined,
  onLimit: (limit: Limit) => void,
): NodeAnswers {
  const answer = (socket: Socket, error: ServiceError, request: IncomingMessage | undefined) =>
    writeAnswer(socket, error, {
      correlationId: correlationIdOf(request ?? { headers: {} }),
      operation: recoverableOf(request ?? {}),
    });
  return {
    answerClientError(error, socket) {
      const underWay = socket._httpMessage;
      // The rest of a request that is answered already.
      const isRest = !underWay && socket.parser?.incoming?.complete === false;
      if (error.code === 'ECONNRESET' || !socket.writable || underWay?.headersSent || isRest) {
        socket.destroy();
        return;
      }
      if (underWay?.req.complete) {
        // Whatever else arrives is not read; the answer says so by `Connection: close`.
        socket.pause();
        underWay.shouldKeepAlive = false;
        return;
      }
      const refusal = PARSER_REFUSALS[error.code ?? ''] ?? MALFORMED;
      if (refusal.limit) onLimit(refusal.limit);
      answer(socket, refusal, underWay?.req);
    },
    answerWhatNodeWould(app) {
      app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
      app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
        socket.on('error', () => {});
        answer(socket, NO_CONNECT, request);
      });
    },
  };
}

interface Asked {
  readonly correlationId: string;
  readonly operation: RecoverableOperation | undefined;
}

function writeAnswer(socket: Socket, error: ServiceError, { correlationId, operation }: Asked): void {
  const { retryAfterSeconds, status: ownStatus } = describeErrorCode(error.code);
  const status = error.status ?? ownStatus;
  const body = JSON.stringify(errorEnvelope(error, correlationId, operation));
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-correlation-id': correlationId,
    'cache-control': 'no-store',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...error.headers,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), CLOSED_AFTER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
