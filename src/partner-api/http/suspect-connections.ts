import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { addressGroup } from '../../domain/access/client-address.ts';
import type { Limit } from '../../domain/limit-names.ts';
import type { Authenticate } from '../access/authenticate.ts';
import { countKeyOn } from './idle-connections.ts';

/** An address is trusted for this time after the last connection with a valid key. */
const TRUSTED_FOR_MS = 600_000;
const ADDRESSES_MAX = 10_000;

export interface SuspectLimits {
  /** The most connections that an address without trust may open in a second before the next ones wait. */
  readonly openedMax: number;
  /**
   * Accepted every ten milliseconds of all waiting ones: a new connection and the refusal of its first request take a third of a
   * millisecond.
   */
  readonly takenInATurn: number;
  readonly waitingMax: number;
}

const LIMITS: SuspectLimits = { openedMax: 64, takenInATurn: 2, waitingMax: 8_192 };
const OPENED_WINDOW_MS = 1_000;
const TURN_MS = 10;

/** An option of Node's servers that only servers without a protocol accept when they are created. */
type PausingServer = Server & { pauseOnConnect: boolean };

export interface SuspectConnections {
  /**
   * Makes connections of the server wait when they have to.
   *
   * @returns The server.
   */
  defer(server: Server): Server;
  /** A valid key arrived on this connection. */
  trust(socket: Socket): void;
}

/**
 * Makes connections wait before anything is read from them, so that other connections get the time: those of an address that sent too
 * many wrong keys, and those of one that opens too many in a second. An address with a valid key does not wait.
 *
 * @param onLimit Called when this limit closed a connection, because too many wait.
 * @see docs/spec/decisions.md#6-rate-limits: a valid key is never refused for the wrong ones of its address.
 */
export function suspectConnections(
  { isSuspect }: Pick<Authenticate, 'isSuspect'>,
  onLimit: (limit: Limit) => void,
  limits: SuspectLimits = LIMITS,
): SuspectConnections {
  const trusted = new LRUCache<string, true>({ max: ADDRESSES_MAX, ttl: TRUSTED_FOR_MS });
  const opened = openedCounter();
  const queue = waitingQueue(onLimit, limits);
  return {
    defer(server) {
      // What is sent on a waiting connection stays in the system's memory.
      (server as PausingServer).pauseOnConnect = true;
      const listeners = server.listeners('connection');
      server.removeAllListeners('connection');
      server.on('connection', (socket: Socket) => {
        const take = () => {
          for (const listener of listeners) listener.call(server, socket);
          socket.resume();
        };
        const { remoteAddress = '' } = socket;
        const group = addressGroup(remoteAddress);
        if (trusted.has(group) || !(isSuspect(remoteAddress) || opened.count(group) > limits.openedMax)) take();
        else queue.add(socket, group, take);
      });
      return server;
    },
    trust(socket) {
      if (!countKeyOn(socket)) return;
      const group = addressGroup(socket.remoteAddress ?? '');
      trusted.set(group, true);
      socket.once('close', () => trusted.set(group, true));
      queue.takeAll(group);
    },
  };
}

/** Connections of an address in the current second. */
function openedCounter(): { count(group: string): number } {
  const windows = new LRUCache<string, { count: number }>({ max: ADDRESSES_MAX, ttl: OPENED_WINDOW_MS });
  return {
    count(group) {
      const window = windows.get(group);
      if (window) return ++window.count;
      windows.set(group, { count: 1 });
      return 1;
    },
  };
}

interface Waiting {
  readonly group: string;
  readonly take: () => void;
}

interface WaitingQueue {
  add(socket: Socket, group: string, take: () => void): void;
  /** Takes all connections of a group from the queue at once. A group is an address. */
  takeAll(group: string): void;
}

function waitingQueue(onLimit: (limit: Limit) => void, { takenInATurn, waitingMax }: SuspectLimits): WaitingQueue {
  const waiting = new Map<Socket, Waiting>();
  let isTaking = false;
  const takeNext = (socket: Socket, { take }: Waiting) => {
    waiting.delete(socket);
    take();
  };
  const takeTurn = () => {
    let left = takenInATurn;
    for (const [socket, each] of waiting) {
      if (left-- === 0) break;
      takeNext(socket, each);
    }
    isTaking = waiting.size > 0;
    if (isTaking) setTimeout(takeTurn, TURN_MS).unref();
  };
  return {
    add(socket, group, take) {
      // It may be reset while it waits.
      socket.on('error', () => {});
      if (waiting.size >= waitingMax) {
        onLimit('connection_suspect');
        socket.destroy();
        return;
      }
      waiting.set(socket, { group, take });
      socket.once('close', () => waiting.delete(socket));
      if (isTaking) return;
      isTaking = true;
      setTimeout(takeTurn, TURN_MS).unref();
    },
    takeAll(group) {
      for (const [socket, each] of waiting) if (each.group === group) takeNext(socket, each);
    },
  };
}
