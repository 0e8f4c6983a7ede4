import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Limit } from '../../domain/limit-names.ts';

/**
 * The most requests that wait on a connection behind the one under way. The connection of a client that sends more without reading an
 * answer is closed.
 */
const PIPELINED_MAX = 16;

export interface StallLimits {
  /** When the reader of an answer takes nothing for this time, the connection is closed. */
  readonly stalledMs: number;
  readonly lookEveryMs: number;
}

const STALL_LIMITS: StallLimits = { stalledMs: 10_000, lookEveryMs: 1_000 };

export interface QueueOptions extends Partial<StallLimits> {
  /** Called when this limit closed a connection. */
  readonly onCut?: (limit: Limit) => void;
}

interface Connection {
  readonly socket: Socket;
  isBusy: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
  /** The bytes that waited to be sent at the last look. */
  unsentBytes: number;
  movedAtMs: number;
}

/**
 * Processes the requests of one connection one after another: the next begins when the answer before it is sent. So a connection has at
 * most one request in flight, and a sender that reads nothing gets nothing done.
 *
 * @see docs/spec/decisions.md#6-rate-limits: a connection has one request under way.
 */
export function oneAtATime(handle: RequestListener, options: QueueOptions = {}): RequestListener {
  const queue = new ConnectionQueue(handle, options);
  return (request, response) => queue.take(request, response);
}

class ConnectionQueue {
  readonly #handle: RequestListener;
  readonly #onCut: (limit: Limit) => void;
  readonly #connections = new Map<Socket, Connection>();
  readonly #watch: () => void;

  constructor(handle: RequestListener, { onCut = () => {}, ...limits }: QueueOptions) {
    this.#handle = handle;
    this.#onCut = onCut;
    this.#watch = watchUnread(this.#connections, { ...STALL_LIMITS, ...limits }, (connection) =>
      this.#cut(connection, 'connection_stalled'),
    );
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    if (socket.destroyed) return;
    const connection = this.#connections.get(socket) ?? this.#open(socket);
    if (!connection.isBusy) this.#begin(connection, request, response);
    else if (connection.waiting.length < PIPELINED_MAX) connection.waiting.push([request, response]);
    else this.#cut(connection, 'connection_pipelined');
  }

  #open(socket: Socket): Connection {
    const connection = { socket, isBusy: false, waiting: [], unsentBytes: 0, movedAtMs: 0 };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#connections.delete(socket));
    this.#watch();
    return connection;
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isBusy = true;
    response.on('close', () => this.#endTurn(connection));
    this.#handle(request, response);
  }

  #endTurn(connection: Connection): void {
    connection.isBusy = false;
    // No answer could be sent on a connection that is being closed, and nobody would learn of its end.
    const next = connection.socket.writable ? connection.waiting.shift() : undefined;
    if (next) this.#begin(connection, ...next);
  }

  #cut({ socket }: Connection, limit: Limit): void {
    this.#onCut(limit);
    stopParsing(socket);
    socket.destroy();
  }
}

/** Node's parser would continue with everything that has arrived, hundreds of requests that nobody answers: the next request stops it. */
function stopParsing({ parser }: Socket & { readonly parser?: { onIncoming: () => number } | null }): void {
  if (parser) parser.onIncoming = () => -1;
}

/** Looks at the connections while there are any, and closes those whose answer makes no progress. */
function watchUnread(
  connections: ReadonlyMap<Socket, Connection>,
  { stalledMs, lookEveryMs }: StallLimits,
  cut: (connection: Connection) => void,
): () => void {
  let isWatching = false;
  const look = () => {
    for (const connection of connections.values()) if (isStalled(connection, stalledMs)) cut(connection);
    isWatching = connections.size > 0;
    if (isWatching) setTimeout(look, lookEveryMs).unref();
  };
  return () => {
    if (isWatching) return;
    isWatching = true;
    setTimeout(look, lookEveryMs).unref();
  };
}

function isStalled(connection: Connection, stalledMs: number): boolean {
  const nowMs = performance.now();
  const unsentBytes = countUnsent(connection.socket);
  if (unsentBytes === 0 || unsentBytes !== connection.unsentBytes) {
    connection.unsentBytes = unsentBytes;
    connection.movedAtMs = nowMs;
  }
  return nowMs - connection.movedAtMs >= stalledMs;
}

/** The stream counts a part until all of it is sent; only the handle knows how much the system has taken meanwhile. */
function countUnsent(socket: Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }): number {
  return socket.writableLength + (socket._handle?.writeQueueSize ?? 0);
}
