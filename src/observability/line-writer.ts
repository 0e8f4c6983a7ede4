import { write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Characters that wait for a slow reader; further lines are dropped and counted, so that the memory has a bound. */
const WAITING_MAX = 16 * 1_048_576;
const BUSY_PAUSE_MS = 100;
const NEWLINE = 10;

export interface LineWriterOptions {
  readonly waitingMax?: number;
  /** Makes the line that stands in the place of dropped ones. */
  readonly tellDropped?: (lines: number) => string;
}

/**
 * Writes text to an open file without waiting for its reader. No package is used because sonic-boom, which pino brings, writes again and
 * again at the end of a process whose reader has stalled or gone, and so never lets it end.
 */
export class LineWriter {
  readonly #file: number;
  readonly #waitingMax: number;
  readonly #tellDropped: (lines: number) => string;
  #dropped = 0;
  /** Dropped lines that no line tells of yet, and those that the write under way tells of. */
  #untold = 0;
  #beingTold = 0;
  #waiting: string[] = [];
  #length = 0;
  #isWriting = false;
  #onWritten: (() => void)[] = [];

  /** @param file The number of an open file: 1 is standard output. */
  constructor(file: number, { waitingMax = WAITING_MAX, tellDropped = () => '' }: LineWriterOptions = {}) {
    this.#file = file;
    this.#waitingMax = waitingMax;
    this.#tellDropped = tellDropped;
  }

  /** Lines that no reader got: too many waited, or the file refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Whether a write waits for the reader. Until it is done, the end of the process waits too. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  write(text: string): void {
    if (this.#length + text.length > this.#waitingMax) {
      this.#drop(countLines(Buffer.from(text)));
      return;
    }
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
      let rest = this.#isWriting ? Buffer.alloc(0) : Buffer.from(text);
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#file, rest));
    } catch {
      // The reader has stalled, or gone.
    }
  }

  #drop(lines: number): void {
    this.#dropped += lines;
    this.#untold += lines;
  }

  /** With the line about dropped ones behind it: they came while what waits took all of the room. */
  #takeWaiting(): string {
    const text = this.#waiting.join('');
    [this.#waiting, this.#length] = [[], 0];
    if (text === '' || this.#untold === 0) return text;
    [this.#beingTold, this.#untold] = [this.#untold, 0];
    return text + this.#tellDropped(this.#beingTold);
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
      // After any other error the reader has gone or the disk is full, and what was for it goes too.
      else if (error) this.#lose(bytes);
      else if (count === bytes.length) this.#end();
      else this.#writeAll(bytes.subarray(count));
    });
  }

  #end(): void {
    this.#beingTold = 0;
    this.#writeNext();
  }

  #lose(bytes: Buffer): void {
    const told = this.#beingTold > 0 ? countLines(Buffer.from(this.#tellDropped(this.#beingTold))) : 0;
    this.#untold += this.#beingTold;
    this.#drop(countLines(bytes) - told);
    this.#end();
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
}
