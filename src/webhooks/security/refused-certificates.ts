import { performance } from 'node:perf_hooks';
import type { TLSSocket } from 'node:tls';

/** The refused checks of one receiver may take so long within {@link CHECKS_WITHIN_MS}. A usual chain takes milliseconds. */
const CHECKS_MAX_MS = 250;
const CHECKS_WITHIN_MS = 10_000;
/** A receiver beyond it takes at most about one in so many parts of a process's time. */
const PAUSE_FACTOR = 20;
/** While a handshake is under way, so often it is noted that the process does something else than a check. */
const NOTE_EVERY_MS = 5;

interface Checks {
  readonly sinceMs: number;
  readonly tookMs: number;
}

/** Until when no connection to a receiver is begun, in milliseconds of the clock. */
interface Refused {
  readonly error: Error;
  readonly untilMs: number;
}

/**
 * The receivers whose refused certificates took too long. A receiver chooses the chain of its certificate: up to 100 KiB, of which OpenSSL
 * checks each signature although the first already cannot be trusted. That takes up to tenths of a second, in which the process does nothing
 * else. Beyond {@link CHECKS_MAX_MS} the connections to the same receiver that are begun end, and for {@link PAUSE_FACTOR} times as long
 * none is begun. A refused chain that is usual ends nothing: other machines behind the same name may have a good one.
 */
export class RefusedCertificates {
  /** By the receiver, as host and port: connections whose handshake has not ended. */
  readonly #begun = new Map<string, Set<TLSSocket>>();
  readonly #checks = new Map<string, Checks>();
  readonly #refused = new Map<string, Refused>();
  readonly #clock: () => number;
  #notes: NodeJS.Timeout | undefined;
  #notedAtMs = 0;

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
    this.#note();
    this.#notes ??= setInterval(() => this.#note(), NOTE_EVERY_MS).unref();
    const end = () => {
      begun.delete(socket);
      if (begun.size === 0 && this.#begun.get(receiver) === begun) this.#begun.delete(receiver);
      if (this.#begun.size > 0) return;
      clearInterval(this.#notes);
      this.#notes = undefined;
    };
    socket
      .once('secureConnect', () => {
        this.#note();
        end();
      })
      .once('close', end)
      .once('error', (error) => {
        end();
        if (socket.authorizationError) this.#count(receiver, { error, tookMs: this.#note(), begun });
      });
  }

  /** @returns The milliseconds since the last note: what OpenSSL has taken since then, with little else. */
  #note(): number {
    const nowMs = this.#clock();
    const tookMs = nowMs - this.#notedAtMs;
    this.#notedAtMs = nowMs;
    return tookMs;
  }

  #count(receiver: string, { error, tookMs, begun }: { error: Error; tookMs: number; begun: Iterable<TLSSocket> }): void {
    const nowMs = this.#clock();
    for (const [each, { sinceMs }] of this.#checks) if (sinceMs + CHECKS_WITHIN_MS <= nowMs) this.#checks.delete(each);
    for (const [each, { untilMs }] of this.#refused) if (untilMs <= nowMs) this.#refused.delete(each);
    const before = this.#checks.get(receiver) ?? { sinceMs: nowMs, tookMs: 0 };
    const checks = { ...before, tookMs: before.tookMs + tookMs };
    this.#checks.set(receiver, checks);
    if (checks.tookMs <= CHECKS_MAX_MS) return;
    this.#refused.set(receiver, { error, untilMs: nowMs + checks.tookMs * PAUSE_FACTOR });
    for (const socket of begun) socket.destroy(error);
  }
}
