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
  const busy = new Map<Socket, Connection>();
  const watch = watchUnread(busy, limits);

  const begin = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    response.once('close', () => endTurn(connection));
    handle(request, response);
  };
  const endTurn = (connection: Connection): void => {
    const next = connection.socket.destroyed ? undefined : connection.waiting.shift();
    if (next) begin(connection, ...next);
    else busy.delete(connection.socket);
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const connection = busy.get(socket);
    if (!connection) {
      const opened: Connection = { socket, waiting: [], unsentBytes: 0, movedAtMs: performance.now() };
      busy.set(socket, opened);
      watch();
      begin(opened, request, response);
    } else if (connection.waiting.length < PIPELINED_MAX) connection.waiting.push([request, response]);
    else socket.destroy();
  };
}

/** Looks at the connections as long as one is busy, and cuts those whose answer does not move. */
function watchUnread(busy: ReadonlyMap<Socket, Connection>, { stalledMs, lookEveryMs }: StallLimits): () => void {
  let isWatching = false;
  const look = () => {
    for (const connection of busy.values()) cutStalled(connection, stalledMs);
    isWatching = busy.size > 0;
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
