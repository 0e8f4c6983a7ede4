import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isLongIdentifier, newId } from '../domain/identifiers.ts';
import { ServiceError } from '../domain/service-error.ts';
import { errorEnvelope } from './errors.ts';

/**
 * Answers that Node writes before Fastify sees a request. They carry the envelope and the header like all others.
 */

/** What Node's parser refuses, by its error code; any other is a malformed request. */
const PARSER_REFUSALS: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The header fields are larger than 16 KiB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};

/** Node keeps the answer that is under way on the socket itself. */
type HttpSocket = Socket & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null };

/**
 * For a connection whose bytes are not HTTP. When a request of that connection is under way or was answered, a refusal
 * would be read as its answer; the connection is cut instead, and the outcome stays what it is: unknown to the sender.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: HttpSocket): void {
  const underWay = socket._httpMessage;
  const wouldMislead = underWay && (underWay.headersSent || underWay.req.complete);
  if (error.code === 'ECONNRESET' || !socket.writable || wouldMislead) {
    socket.destroy();
    return;
  }
  const { status, message } = PARSER_REFUSALS[error.code ?? ''] ?? {
    status: 400,
    message: 'This is not a well-formed HTTP request.',
  };
  writeAnswer(socket, { status, message, correlationId: correlationIdOf(underWay?.req) });
}

/** An expectation that is none, which goes the way of all requests and is refused there; and CONNECT, which has no way. */
export function answerWhatNodeWould(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {});
    const correlationId = correlationIdOf(request);
    writeAnswer(socket, {
      status: 405,
      message: 'CONNECT is not supported.',
      correlationId,
      headers: { allow: 'GET, HEAD, POST' },
    });
  });
}

function correlationIdOf(request: Pick<IncomingMessage, 'headers'> | undefined): string {
  const sent = request?.headers['x-correlation-id'];
  return isLongIdentifier(sent) ? sent : newId('corr');
}

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly correlationId: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function writeAnswer(socket: Socket, { status, message, correlationId, headers = {} }: Answer): void {
  const body = JSON.stringify(errorEnvelope(new ServiceError('invalid_request', message), correlationId));
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-correlation-id': correlationId,
    'cache-control': 'no-store',
    ...headers,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}
