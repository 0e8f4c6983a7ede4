import { write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Characters that wait for a slow reader; further ones are dropped, so that the memory has a bound. */
const WAITING_MAX = 16 * 1_048_576;
const BUSY_PAUSE_MS = 100;

/**
 * Writes text to an open file without waiting for its reader. No package is used because sonic-boom, which pino brings, writes again and
 * again at the end of a process whose reader has stalled or gone, and so never lets it end.
 */
export class LineWriter {
  readonly #file: number;
  readonly #waitingMax: number;
  #waiting: string[] = [];
  #length = 0;
  #isWriting = false;
  #onWritten: (() => void)[] = [];

  /** @param file The number of an open file: 1 is standard output. */
  constructor(file: number, waitingMax = WAITING_MAX) {
    this.#file = file;
    this.#waitingMax = waitingMax;
  }

  /** Whether a write waits for the reader. Until it is done, the end of the process waits too. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  write(text: string): void {
    if (this.#length + text.length > this.#waitingMax) return;
    this.#waiting.push(text);
    this.#length += text.length;
    if (!this.#isWriting) this.#writeNext();
  }

  /** @returns Whether everything was written within this time. */
  async flush(withinMs: number): Promise<boolean> {
    if (!this.#isWriting) return true;
    const written = new Promise<boolean>((resolve) => this.#onWritten.push(() => resolve(true)));
    // A write that waits keeps the process alive, and nothing else needs to.
    return Promise.race([written, sleep(withinMs, false, { ref: false })]);
  }

  /** What has not begun to be written, for the end of a process that waits for nothing. */
  writeRest(): void {
    const text = this.#takeWaiting();
    try {
      if (!this.#isWriting && text !== '') writeSync(this.#file, text);
    } catch {
      // The reader has stalled, or gone.
    }
  }

  #takeWaiting(): string {
    const text = this.#waiting.join('');
    [this.#waiting, this.#length] = [[], 0];
    return text;
  }

  #writeNext(): void {
    const text = this.#takeWaiting();
    this.#isWriting = text !== '';
    if (this.#isWriting) this.#writeAll(Buffer.from(text));
    else for (const tell of this.#onWritten.splice(0)) tell();
  }

  #writeAll(bytes: Buffer): void {
    write(this.#file, bytes, (error, count) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeAll(bytes), BUSY_PAUSE_MS);
      // After any other error the reader has gone, and what was for it goes too.
      else if (error || count === bytes.length) this.#writeNext();
      else this.#writeAll(bytes.subarray(count));
    });
  }
}
