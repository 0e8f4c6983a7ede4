import { performance } from 'node:perf_hooks';
import type { TLSSocket } from 'node:tls';

/** A receiver whose certificates are refused takes at most about one in so many parts of a process's time. */
const PAUSE_FACTOR = 20;

/** Until when a receiver's certificate counts as refused, in milliseconds of the clock. */
interface Refused {
  readonly error: Error;
  readonly untilMs: number;
}

/**
 * The receivers whose certificate was refused just now. A receiver chooses the chain of its certificate: up to 100 KiB, of which OpenSSL
 * checks each signature although the first already cannot be trusted. That takes up to tenths of a second, in which the process does nothing
 * else. So the first refusal ends the connections to the same receiver that were begun with it, and for {@link PAUSE_FACTOR} times the time
 * that it took none is begun.
 */
export class RefusedCertificates {
  /** By the receiver, as host and port: connections whose handshake has not ended. */
  readonly #begun = new Map<string, Set<TLSSocket>>();
  readonly #refused = new Map<string, Refused>();
  readonly #clock: () => number;

  /** @param clock Milliseconds from any beginning. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** With what a connection to this receiver fails without being begun, if so. */
  find(receiver: string): Error | undefined {
    const refused = this.#refused.get(receiver);
    return refused && this.#clock() < refused.untilMs ? refused.error : undefined;
  }

  /** @param socket A connection that was begun just now. */
  watch(receiver: string, socket: TLSSocket): void {
    const begun = this.#begun.get(receiver) ?? new Set();
    this.#begun.set(receiver, begun.add(socket));
    const end = () => {
      begun.delete(socket);
      if (begun.size === 0 && this.#begun.get(receiver) === begun) this.#begun.delete(receiver);
    };
    let beganMs = 0;
    socket
      .once('connect', () => (beganMs = workedMs()))
      .once('secureConnect', end)
      .once('close', end)
      .once('error', (error) => {
        end();
        if (socket.authorizationError) this.#refuse(receiver, { error, tookMs: workedMs() - beganMs, begun });
      });
  }

  #refuse(receiver: string, { error, tookMs, begun }: { error: Error; tookMs: number; begun: Iterable<TLSSocket> }): void {
    const nowMs = this.#clock();
    for (const [each, { untilMs }] of this.#refused) if (untilMs <= nowMs) this.#refused.delete(each);
    this.#refused.set(receiver, { error, untilMs: nowMs + tookMs * PAUSE_FACTOR });
    for (const socket of begun) socket.destroy(error);
  }
}

/** @returns For how many milliseconds the event loop has worked: waiting for the receiver is no work. */
function workedMs(): number {
  return performance.eventLoopUtilization().active;
}
