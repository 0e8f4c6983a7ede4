import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LIST_LIMITS } from '../../../domain/reconciliations/list-limits.ts';
import { LIST_READ_MAX_BYTES_PER_SECOND, PACE_MIN_BYTES_PER_SECOND } from './watched-transfer.ts';

/** The rest of one body: how long it may take after its answer, its bytes, and for how long it may be slow. */
const REST_MAX = { ms: 30_000, bytes: LIST_LIMITS.bytes, slowMs: 5_000 };
/** So much of each is read at any speed: a body of another operation is smaller. */
const UNPACED_BYTES = 128 * 1024;
const LOOK_EVERY_MS = 20;
/** A look that comes later than this, because the process did not run, counts as this: nobody was late. */
const LOOK_LATE_MS = 200;

interface Rest {
  readonly socket: Socket;
  readonly expire: () => void;
  ms: number;
  bytes: number;
  /** Its part of what all may have until now. */
  bytesAllowed: number;
  /** Of the connection, before it. */
  readonly bytesReadBefore: number;
  isPaused: boolean;
}

/**
 * What is left of bodies that are answered before they have arrived. It is read and thrown away, as a client that sends first and reads then
 * would lose the answer with its connection. Anybody may send such a body: all of them together are read at the highest speed of one list,
 * each at the same part of it.
 */
export class RestOfBodies {
  readonly #rests = new Set<Rest>();
  #looks: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;

  /**
   * @param request Answered, not complete.
   * @param expire Called when the rest takes too long, or has too many bytes.
   * @returns Ends it: the rest has arrived.
   */
  read(request: IncomingMessage, expire: () => void): () => void {
    const { socket } = request;
    const allowed = { bytesAllowed: UNPACED_BYTES, bytesReadBefore: socket.bytesRead };
    const rest = { socket, expire, ms: 0, bytes: 0, ...allowed, isPaused: false };
    // Node itself throws away what nobody has begun to read.
    request.on('data', () => {});
    this.#rests.add(rest);
    if (this.#looks === undefined) {
      this.#lookedAtMs = performance.now();
      this.#looks = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    }
    return () => {
      pause(rest, false);
      this.#rests.delete(rest);
      if (this.#rests.size > 0) return;
      clearInterval(this.#looks);
      this.#looks = undefined;
    };
  }

  #look(): void {
    const nowMs = performance.now();
    const ms = Math.min(nowMs - this.#lookedAtMs, LOOK_LATE_MS);
    this.#lookedAtMs = nowMs;
    const part = (LIST_READ_MAX_BYTES_PER_SECOND * ms) / 1_000 / this.#rests.size;
    for (const rest of this.#rests) {
      rest.ms += ms;
      rest.bytes = rest.socket.bytesRead - rest.bytesReadBefore;
      rest.bytesAllowed += part;
      if (isBeyond(rest)) rest.expire();
      else pause(rest, rest.bytes > rest.bytesAllowed);
    }
  }
}

function isBeyond({ ms, bytes }: Rest): boolean {
  const isSlow = ms > REST_MAX.slowMs && bytes < (ms / 1_000) * PACE_MIN_BYTES_PER_SECOND;
  return isSlow || ms > REST_MAX.ms || bytes > REST_MAX.bytes;
}

function pause(rest: Rest, isPaused: boolean): void {
  if (isPaused !== rest.isPaused) rest.socket[isPaused ? 'pause' : 'resume']();
  rest.isPaused = isPaused;
}
