import { connect, type Socket } from 'node:net';

/** Another address of this machine than the honest partner's: what is limited per address then limits the attacker alone. */
const ADDRESS = '127.0.0.66';

const PART_BYTES = 65_536;

/** The service cut the connection, or the attack is over. */
export class ConnectionEnded extends Error {}

export interface ConnectionEvents {
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly onSent: (bytes: number, requests: number) => void;
  readonly onStatus: (status: number) => void;
}

/** One raw connection. It reads nothing until it is told to. */
export class AttackConnection {
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #closed: Promise<void>;
  #received = '';
  #onAnswer: ((status: number | undefined) => void) | undefined;

  constructor(port: number, events: ConnectionEvents) {
    this.#events = events;
    const socket = connect({ port, host: '127.0.0.1', localAddress: ADDRESS, noDelay: true });
    this.#socket = socket.pause();
    let isOpen = false;
    socket.once('connect', () => {
      isOpen = true;
      events.onOpen();
    });
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) =>
      socket.once('close', () => {
        if (isOpen) events.onClose();
        this.#onAnswer?.(undefined);
        resolve();
      }),
    );
  }

  /**
   * Resolves when the machine's network has taken all of it. What was taken before the service cut the connection counts as sent.
   *
   * @param requests How many requests this completes.
   * @throws ConnectionEnded
   */
  async send(bytes: string, requests = 0): Promise<void> {
    for (let from = 0; from === 0 || from < bytes.length; from += PART_BYTES)
      await this.#write(bytes.slice(from, from + PART_BYTES));
    this.#events.onSent(0, requests);
  }

  async #write(part: string): Promise<void> {
    const isSent = await new Promise((resolve) => this.#socket.write(part, (error) => resolve(!error)));
    if (!isSent) throw new ConnectionEnded();
    this.#events.onSent(part.length, 0);
  }

  /**
   * Sends one request and reads its answer.
   *
   * @returns The status.
   * @throws ConnectionEnded
   */
  async ask(bytes: string): Promise<number> {
    const answered = new Promise<number | undefined>((resolve) => (this.#onAnswer = resolve));
    if (this.#socket.listenerCount('data') === 0) this.#socket.setEncoding('latin1').on('data', (text) => this.#read(`${text}`));
    this.#socket.resume();
    await this.send(bytes, 1);
    const status = await answered;
    if (status === undefined) throw new ConnectionEnded();
    return status;
  }

  /** Reads one part of what has arrived, then nothing again. */
  readSome(): void {
    this.#socket.once('data', () => this.#socket.pause());
    this.#socket.resume();
  }

  /** Resolves when the service has cut the connection, or the attack is over. What arrives meanwhile is read and forgotten. */
  async untilClosed(): Promise<void> {
    this.#socket.resume();
    await this.#closed;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.slice(0, headEnd);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const isWhole = /\r\ntransfer-encoding: chunked/i.test(head)
      ? this.#received.endsWith('0\r\n\r\n')
      : this.#received.length >= headEnd + 4 + length;
    if (!isWhole) return;
    this.#received = '';
    const status = Number(head.slice(9, 12));
    this.#events.onStatus(status);
    this.#onAnswer?.(status);
    if (/\r\nconnection: close/i.test(head)) this.#socket.destroy();
  }
}
