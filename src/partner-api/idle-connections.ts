import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Limit } from '../domain/limit.ts';
import { addressGroup } from './client-address.ts';

export interface IdleLimits {
  /** Of one address, without a key. */
  readonly perAddress: number;
  /** Of all addresses, with a key and without. */
  readonly inAll: number;
  /** A connection counts as idle when it has had no request under way for so long. */
  readonly idleMs: number;
  readonly lookEveryMs: number;
}

const LIMITS: IdleLimits = { perAddress: 256, inAll: 4_096, idleMs: 1_000, lookEveryMs: 1_000 };

/** Node keeps the answer that is under way on the socket itself. */
type HttpSocket = Socket & { readonly _httpMessage?: object | null; [CARRIED_KEY]?: true };

const CARRIED_KEY = Symbol('carried a valid key');

/** A request with a valid key came on this connection. */
export function noteKeyOn(socket: Socket): void {
  (socket as HttpSocket)[CARRIED_KEY] = true;
}

interface Connection {
  readonly socket: HttpSocket;
  readonly address: string;
  /** As of the last look. */
  bytesWritten: number;
  idleSinceMs: number;
}

export interface IdleOptions {
  /** Whose connections are its own affair: a proxy bounds what it lets through. */
  readonly isExempt: (address: string) => boolean;
  /** A connection was closed by this limit. */
  readonly onCut?: (limit: Limit) => void;
  readonly limits?: IdleLimits;
}

/**
 * Closes idle connections beyond the limits, the oldest of the addresses that have most, and those that carried a valid key last. A
 * head that comes byte by byte is no request yet, so its connection is idle.
 */
export function limitIdle(server: Server, { isExempt, onCut = () => {}, limits = LIMITS }: IdleOptions): void {
  const connections = new Set<Connection>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isExempt(remoteAddress)) return;
    const connection = { socket, address: addressGroup(remoteAddress), bytesWritten: 0, idleSinceMs: performance.now() };
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  const look = () => {
    if (connections.size <= limits.perAddress) return;
    for (const { socket } of listExcess(listIdle(connections, limits.idleMs), limits)) {
      onCut('connection_idle');
      socket.destroy();
    }
  };
  server.on('listening', () => {
    const timer = setInterval(look, limits.lookEveryMs).unref();
    server.once('close', () => clearInterval(timer));
  });
}

/** The longest idle first. */
function listIdle(connections: Iterable<Connection>, idleMs: number): Connection[] {
  const nowMs = performance.now();
  const idle: Connection[] = [];
  for (const connection of connections) {
    const { bytesWritten, _httpMessage: answer } = connection.socket;
    if (answer || bytesWritten !== connection.bytesWritten) {
      connection.bytesWritten = bytesWritten;
      connection.idleSinceMs = nowMs;
    } else if (nowMs - connection.idleSinceMs >= idleMs) idle.push(connection);
  }
  return idle.sort((one, other) => one.idleSinceMs - other.idleSinceMs);
}

function listExcess(idle: readonly Connection[], { perAddress, inAll }: IdleLimits): Connection[] {
  const [withKey, withoutKey]: [Connection[], Connection[]] = [[], []];
  for (const connection of idle) (connection.socket[CARRIED_KEY] ? withKey : withoutKey).push(connection);
  const excess = listBeyond(withKey, inAll, inAll);
  return [...excess, ...listBeyond(withoutKey, inAll - (withKey.length - excess.length), perAddress)];
}

/** All but the latest of each address, the second latest of each, and so on, as many as may be. */
function listBeyond(idle: readonly Connection[], max: number, perAddress: number): Connection[] {
  const counts = new Map<string, number>();
  const ranked = idle.toReversed().map((connection) => {
    const rank = counts.get(connection.address) ?? 0;
    counts.set(connection.address, rank + 1);
    return { connection, rank };
  });
  ranked.sort((one, other) => one.rank - other.rank);
  return ranked.filter(({ rank }, place) => place >= max || rank >= perAddress).map(({ connection }) => connection);
}
