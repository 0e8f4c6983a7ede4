/** Whoever means no good: connections from an address of their own, and a count of what went out on them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AttackConnection, ConnectionEnded } from './attack-connection.ts';

/** Before a connection is opened in the place of one that ended. */
const REOPEN_AFTER_MS = 50;

/** What one connection does; it begins again on a new one when it is over or the connection is cut. */
export type Conduct = (connection: AttackConnection) => Promise<void>;

export interface EachOptions {
  /** Instead of the port of the partners' interface. */
  readonly port?: number;
  /** The conduct has one connection and is not begun again. */
  readonly isOnce?: boolean;
}

export class Attacker {
  /** Taken by the machine's network. */
  bytesSent = 0;
  requestsSent = 0;
  /** Connections that are open now. */
  open = 0;
  openMax = 0;
  /** How often each status was read; an attack that reads no answers has none. */
  readonly byStatus: Record<string, number> = {};
  readonly #port: number;
  readonly #stop = new AbortController();
  readonly #connections = new Set<AttackConnection>();

  constructor(port: number) {
    this.#port = port;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Lets so many connections do the same until the attack ends. */
  async each(count: number, conduct: Conduct, { port = this.#port, isOnce = false }: EachOptions = {}): Promise<void> {
    const repeat = async (): Promise<void> => {
      do {
        await this.#connectOnce(port, conduct);
        await this.rest(REOPEN_AFTER_MS);
      } while (!isOnce && !this.signal.aborted);
    };
    await Promise.all(Array.from({ length: count }, repeat));
  }

  /** @returns A wait that lets so many through a second, whoever waits. */
  pace(perSecond: number): () => Promise<void> {
    let nextAtMs = performance.now();
    return async () => {
      const nowMs = performance.now();
      nextAtMs = Math.max(nextAtMs + 1_000 / perSecond, nowMs);
      await this.rest(nextAtMs - nowMs);
    };
  }

  /** Ends at once when the attack ends. */
  async rest(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.signal }).catch(() => {});
  }

  /** Ends the attack: every connection is cut. */
  end(): void {
    this.#stop.abort();
    for (const connection of this.#connections) connection.destroy();
  }

  async #connectOnce(port: number, conduct: Conduct): Promise<void> {
    if (this.signal.aborted) return;
    const connection = new AttackConnection(port, {
      onOpen: () => (this.openMax = Math.max(this.openMax, ++this.open)),
      onClose: () => this.open--,
      onSent: (bytes, requests) => {
        this.bytesSent += bytes;
        this.requestsSent += requests;
      },
      onStatus: (status) => (this.byStatus[status] = (this.byStatus[status] ?? 0) + 1),
    });
    this.#connections.add(connection);
    try {
      await conduct(connection);
    } catch (error) {
      if (!(error instanceof ConnectionEnded)) throw error;
    } finally {
      connection.destroy();
      this.#connections.delete(connection);
    }
  }
}
