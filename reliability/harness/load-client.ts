/**
 * A partner's servers: so many keep-alive connections, each with one request under way. A request that finds all of them busy
 * waits its turn, and is given up when that takes too long. Reads no more of an answer than it must.
 */
import { connect, type Socket } from 'node:net';

export interface Result {
  /** The status, or why there is none: no answer came, or the request never went out. */
  readonly status: number | 'none' | 'unsent';
  readonly hasRetryAfter: boolean;
}

export type OnResult = (result: Result) => void;

interface Waiting {
  readonly bytes: Buffer;
  readonly onResult: OnResult;
  readonly since: number;
}

/** How long a request waits for a connection: all of them are then waiting for answers of the service. */
const WAIT_MAX_MS = 250;

export class LoadClient {
  /** Connections that are open, busy or not. */
  opened = 0;
  readonly #port: number;
  readonly #connectionsMax: number;
  readonly #idle: LoadConnection[] = [];
  /** Taken from the front by index: shifting an array of thousands would cost more than the request. */
  #waiting: Waiting[] = [];
  #next = 0;

  constructor(port: number, connectionsMax: number) {
    this.#port = port;
    this.#connectionsMax = connectionsMax;
  }

  /** @param onResult Called once. */
  send(bytes: Buffer, onResult: OnResult): void {
    const connection = this.#idle.pop() ?? (this.opened < this.#connectionsMax ? this.#open() : undefined);
    if (connection) connection.send(bytes, onResult);
    else this.#waiting.push({ bytes, onResult, since: performance.now() });
  }

  /** Gives up what waited too long. To be called often. */
  giveUpLate(): void {
    const since = performance.now() - WAIT_MAX_MS;
    for (let first = this.#waiting[this.#next]; first && first.since < since; first = this.#waiting[this.#next]) {
      this.#next++;
      first.onResult({ status: 'unsent', hasRetryAfter: false });
    }
  }

  close(): void {
    for (const connection of this.#idle) connection.destroy();
  }

  #open(): LoadConnection {
    this.opened++;
    return new LoadConnection(this.#port, {
      onIdle: (connection) => this.#reuse(connection),
      onEnd: (connection) => {
        this.opened--;
        const at = this.#idle.indexOf(connection);
        if (at >= 0) this.#idle.splice(at, 1);
      },
    });
  }

  #reuse(connection: LoadConnection): void {
    const next = this.#waiting[this.#next];
    if (!next) {
      this.#waiting = [];
      this.#next = 0;
      this.#idle.push(connection);
      return;
    }
    this.#next++;
    connection.send(next.bytes, next.onResult);
  }
}

interface LoadConnectionEvents {
  readonly onIdle: (connection: LoadConnection) => void;
  readonly onEnd: (connection: LoadConnection) => void;
}

const TIMEOUT_MS = 10_000;

class LoadConnection {
  readonly #socket: Socket;
  readonly #events: LoadConnectionEvents;
  #received = '';
  #onResult: ((result: Result) => void) | undefined;

  constructor(port: number, events: LoadConnectionEvents) {
    this.#events = events;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk) => this.#read(String(chunk)));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      events.onEnd(this);
      this.#conclude({ status: 'none', hasRetryAfter: false });
    });
    this.#socket.setTimeout(TIMEOUT_MS, () => this.#onResult && this.#socket.destroy());
  }

  send(bytes: Buffer, onResult: (result: Result) => void): void {
    this.#onResult = onResult;
    this.#socket.write(bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#received = this.#received === '' ? chunk : this.#received + chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + 4 + length) return;
    this.#received = '';
    const result = { status: Number(head.slice(9, 12)), hasRetryAfter: /\r\nretry-after: [1-9]/i.test(head) };
    this.#conclude(result);
    if (/\r\nconnection: close/i.test(head)) this.#socket.destroy();
    else this.#events.onIdle(this);
  }

  #conclude(result: Result): void {
    const onResult = this.#onResult;
    this.#onResult = undefined;
    onResult?.(result);
  }
}
