import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on a connection behind the one under way. Who sends more without reading an answer is cut off. */
const PIPELINED_MAX = 16;

export interface StallLimits {
  /** An answer whose reader takes nothing for so long is given up, and its connection with it. */
  readonly stalledMs: number;
  readonly lookEveryMs: number;
}

const STALL_LIMITS: StallLimits = { stalledMs: 10_000, lookEveryMs: 1_000 };

interface Connection {
  readonly socket: Socket;
  isBusy: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
  /** As of the last look. */
  unsentBytes: number;
  movedAtMs: number;
}

/**
 * Takes the requests of one connection one after another: the next begins when the answer before it has left. So a connection holds
 * one place at most, however much is sent on it, and a sender that reads nothing gets nothing done.
 *
 * @see decisions, section 6: a connection has one request under way.
 */
export function oneAtATime(handle: RequestListener, limits = STALL_LIMITS): RequestListener {
  const connections = new Map<Socket, Connection>();
  const watch = watchUnread(connections, limits);

  const open = (socket: Socket): Connection => {
    const connection = { socket, isBusy: false, waiting: [], unsentBytes: 0, movedAtMs: 0 };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    watch();
    return connection;
  };
  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.isBusy = true;
    response.on('close', () => endTurn(connection));
    handle(request, response);
  };
  const endTurn = (connection: Connection): void => {
    connection.isBusy = false;
    const next = connection.socket.destroyed ? undefined : connection.waiting.shift();
    if (next) begin(connection, ...next);
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const connection = connections.get(socket) ?? open(socket);
    if (!connection.isBusy) begin(connection, request, response);
    else if (connection.waiting.length < PIPELINED_MAX) connection.waiting.push([request, response]);
    else socket.destroy();
  };
}

/** Looks at the connections as long as there are any, and cuts those whose answer does not move. */
function watchUnread(connections: ReadonlyMap<Socket, Connection>, { stalledMs, lookEveryMs }: StallLimits): () => void {
  let isWatching = false;
  const look = () => {
    for (const connection of connections.values()) cutStalled(connection, stalledMs);
    isWatching = connections.size > 0;
    if (isWatching) setTimeout(look, lookEveryMs).unref();
  };
  return () => {
    if (isWatching) return;
    isWatching = true;
    setTimeout(look, lookEveryMs).unref();
  };
}

function cutStalled(connection: Connection, stalledMs: number): void {
  const nowMs = performance.now();
  const unsentBytes = countUnsent(connection.socket);
  if (unsentBytes === 0 || unsentBytes !== connection.unsentBytes) {
    connection.unsentBytes = unsentBytes;
    connection.movedAtMs = nowMs;
  } else if (nowMs - connection.movedAtMs >= stalledMs) connection.socket.destroy();
}

/** The stream counts a part until all of it has left; what the system has taken of it meanwhile is known to the handle alone. */
function countUnsent(socket: Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null }): number {
  return socket.writableLength + (socket._handle?.writeQueueSize ?? 0);
}
