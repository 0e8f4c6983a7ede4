import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addressGroup } from '../../domain/access/client-address.ts';
import type { Limit } from '../../domain/limit-names.ts';
import type { HttpSocket } from './node-http.ts';

interface IdleLimit {
  readonly max: number;
  /** A connection is closed after it was idle at this many looks in a row: a busy process reads what has arrived before it looks again. */
  readonly looks: number;
}

export interface IdleLimits {
  readonly lookEveryMs: number;
  /** The limit for the connections of one address that have sent no key. */
  readonly perAddress: IdleLimit;
  /** The limit for the connections of all addresses, with a key or without. */
  readonly inAll: IdleLimit;
}

/** A client may connect again after a close. Connections that the memory can hold are kept longer, which costs less than new ones. */
const LIMITS: IdleLimits = { lookEveryMs: 250, perAddress: { max: 256, looks: 20 }, inAll: { max: 4_096, looks: 4 } };

/** Closing one takes a third of a millisecond, and thousands may be too many at once. */
const CUTS_IN_A_TURN = 16;

type KeyedSocket = HttpSocket & { [CARRIED_KEY]?: true };

const CARRIED_KEY = Symbol('carried a valid key');

/**
 * A request with a valid key arrived on this connection.
 *
 * @returns Whether it was the first one.
 */
export function countKeyOn(socket: KeyedSocket): boolean {
  const isFirst = !socket[CARRIED_KEY];
  socket[CARRIED_KEY] = true;
  return isFirst;
}

interface Connection {
  readonly socket: KeyedSocket;
  readonly address: string;
  /** The bytes that had been written at the last look. */
  bytesWritten: number;
  /** In a row, without a request under way and without an answer since the previous look. */
  idleLooks: number;
}

export interface IdleOptions {
  /** Addresses without this limit: a proxy limits its own connections. */
  readonly isExempt: (address: string) => boolean;
  /** Called when this limit closed a connection. */
  readonly onCut?: (limit: Limit) => void;
  readonly limits?: IdleLimits;
}

/**
 * Closes idle connections beyond the limits: the oldest connections of the addresses with most connections, and those that carried a
 * valid key last. A head that arrives byte by byte is no request yet, so its connection is idle.
 */
export function limitIdle(server: Server, { isExempt, onCut = () => {}, limits = LIMITS }: IdleOptions): void {
  const connections = new Set<Connection>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isExempt(remoteAddress)) return;
    const connection = { socket, address: addressGroup(remoteAddress), bytesWritten: 0, idleLooks: 0 };
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
  let isCutting = false;
  const look = async () => {
    if (isCutting || connections.size <= limits.perAddress.max) return;
    countLooks(connections);
    isCutting = true;
    for (const [index, { socket }] of listExcess(connections, limits).entries()) {
      if (index % CUTS_IN_A_TURN === 0) await nextTurn();
      // A request may have arrived on it meanwhile.
      if (socket.destroyed || socket._httpMessage) continue;
      onCut('connection_idle');
      socket.destroy();
    }
    isCutting = false;
  };
  server.on('listening', () => {
    const timer = setInterval(() => void look(), limits.lookEveryMs).unref();
    server.once('close', () => clearInterval(timer));
  });
}

function countLooks(connections: Iterable<Connection>): void {
  for (const connection of connections) {
    const { bytesWritten, _httpMessage: answer } = connection.socket;
    connection.idleLooks = answer || bytesWritten !== connection.bytesWritten ? 0 : connection.idleLooks + 1;
    connection.bytesWritten = bytesWritten;
  }
}

function listExcess(connections: Iterable<Connection>, { perAddress, inAll }: IdleLimits): Connection[] {
  const idle = [...connections].filter(({ idleLooks }) => idleLooks >= inAll.looks);
  const withKey = inTurns(idle.filter(({ socket }) => socket[CARRIED_KEY]));
  const withoutKey = inTurns(idle.filter(({ socket }) => !socket[CARRIED_KEY]));
  const places = Math.max(0, inAll.max - withKey.length);
  const isTooMany = ({ connection, turn }: Ranked, place: number) =>
    place >= places || (turn >= perAddress.max && connection.idleLooks >= perAddress.looks);
  return [...withKey.slice(inAll.max), ...withoutKey.filter(isTooMany)].map(({ connection }) => connection);
}

interface Ranked {
  readonly connection: Connection;
  /** How many of its address have been idle for a shorter time. */
  readonly turn: number;
}

/** The shortest idle of each address, then the second of each, and so on. */
function inTurns(idle: readonly Connection[]): Ranked[] {
  const counts = new Map<string, number>();
  const shortestFirst = idle.toReversed().sort((one, other) => one.idleLooks - other.idleLooks);
  const ranked = shortestFirst.map((connection) => {
    const turn = counts.get(connection.address) ?? 0;
    counts.set(connection.address, turn + 1);
    return { connection, turn };
  });
  return ranked.sort((one, other) => one.turn - other.turn);
}
