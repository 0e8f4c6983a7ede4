/** One keep-alive connection on which requests go out one after the other, as bytes. */
import { connect, type Socket } from 'node:net';
import { readAnswer, type WireAnswer } from './wire-format.ts';

export interface Sending {
  readonly bytes: Buffer;
  readonly isHead: boolean;
}

/** An answer, or the reason why there is none. */
export type Received = { readonly answer: WireAnswer } | { readonly failure: string };

const TIMEOUT_MS = 12_000;

export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received = Buffer.alloc(0);
  #onChange: () => void = () => {};

  constructor(port: number) {
    this.#port = port;
  }

  /** The connection is opened anew where the last answer closed it. */
  async exchange({ bytes, isHead }: Sending): Promise<Received> {
    const socket = this.#open();
    socket.write(bytes);
    const deadline = performance.now() + TIMEOUT_MS;
    try {
      for (;;) {
        const found = readAnswer(this.#received, { isHead });
        if (found) return this.#take(found);
        if (socket.destroyed || socket.readableEnded) return this.#fail('the connection was cut without an answer');
        if (performance.now() > deadline) return this.#fail(`no answer within ${TIMEOUT_MS / 1000} s`);
        await this.#change(deadline);
      }
    } catch (error) {
      return this.#fail((error as Error).message);
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    this.#received = Buffer.alloc(0);
  }

  #take({ answer, length }: { answer: WireAnswer; length: number }): Received {
    this.#received = this.#received.subarray(length);
    if (this.#received.length > 0) return this.#fail(`${this.#received.length} bytes follow the answer`);
    if (answer.headers.some(([name, value]) => name.toLowerCase() === 'connection' && /close/i.test(value))) this.close();
    return { answer };
  }

  #fail(failure: string): Received {
    this.close();
    return { failure };
  }

  #open(): Socket {
    if (this.#socket && !this.#socket.destroyed && !this.#socket.readableEnded) return this.#socket;
    this.close();
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#onChange();
    });
    for (const event of ['error', 'end', 'close']) socket.on(event, () => this.#onChange());
    this.#socket = socket;
    return socket;
  }

  async #change(deadline: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#onChange = resolve;
      timer = setTimeout(resolve, Math.max(1, deadline - performance.now()));
    });
    clearTimeout(timer);
  }
}
