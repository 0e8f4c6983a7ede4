/** As many keep-alive connections as are needed, each with one request under way at most. Reads no more of an answer than it must. */
import { connect, type Socket } from 'node:net';

export interface Result {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly hasRetryAfter: boolean;
}

export class LoadClient {
  /** Connections that are open, busy or not. */
  opened = 0;
  readonly #port: number;
  readonly #idle: LoadConnection[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  /** @param onResult Called once, with the answer or with the end of the connection. */
  send(bytes: Buffer, onResult: (result: Result) => void): void {
    const connection = this.#idle.pop() ?? this.#open();
    connection.send(bytes, onResult);
  }

  close(): void {
    for (const connection of this.#idle) connection.destroy();
  }

  #open(): LoadConnection {
    this.opened++;
    return new LoadConnection(this.#port, {
      onIdle: (connection) => this.#idle.push(connection),
      onEnd: (connection) => {
        this.opened--;
        const at = this.#idle.indexOf(connection);
        if (at >= 0) this.#idle.splice(at, 1);
      },
    });
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
      this.#conclude({ status: 0, hasRetryAfter: false });
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
    if (/\r\nconnection: close/i.test(head)) this.#socket.destroy();
    else this.#events.onIdle(this);
    this.#conclude(result);
  }

  #conclude(result: Result): void {
    const onResult = this.#onResult;
    this.#onResult = undefined;
    onResult?.(result);
  }
}
