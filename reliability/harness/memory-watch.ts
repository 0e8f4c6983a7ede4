import { setTimeout as sleep } from 'node:timers/promises';

/** What the service may have in use, whatever happens to it. */
export const MEMORY_MEGABYTES_MAX = 300;
const LOOK_EVERY_MS = 100;
const SETTLE_MS = 500;

/** Looks at the memory of a process until it is ended. */
export class MemoryWatch {
  readonly #name: string;
  readonly #read: () => number;
  readonly #timer: NodeJS.Timeout;
  #before: number;
  #peak: number;

  private constructor(name: string, read: () => number) {
    this.#name = name;
    this.#read = read;
    this.#before = this.#peak = read();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** @param read Megabytes that the process has in use now. */
  static async start(name: string, read: () => number): Promise<MemoryWatch> {
    await sleep(SETTLE_MS);
    return new MemoryWatch(name, read);
  }

  get before(): number {
    return this.#before;
  }

  /** So far. */
  get peak(): number {
    return this.#peak;
  }

  /** What it has in use now. */
  get now(): number {
    this.#look();
    return this.#read();
  }

  /** From now on, growth is growth beyond what it had at most so far. */
  takePeakAsBefore(): void {
    this.#look();
    this.#before = this.#peak;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Ends it, and reports a peak above the given one. */
  endBelow(peakMaxMegabytes: number, report: (violation: string) => void): void {
    this.#look();
    this.stop();
    if (this.#peak > peakMaxMegabytes)
      report(`${this.#name} had ${this.#peak} MB in use, and ${peakMaxMegabytes} MB are the most`);
  }

  #look(): void {
    this.#peak = Math.max(this.#peak, this.#read());
  }

  /** @returns Before and at most, in words. */
  end(growthMaxMegabytes: number, report: (violation: string) => void): string {
    this.#look();
    this.stop();
    const growth = this.#peak - this.#before;
    const words = `${this.#before.toFixed(0)} MB before, ${this.#peak.toFixed(0)} MB at most: ${growth.toFixed(0)} MB more`;
    if (growth > growthMaxMegabytes) report(`${this.#name} grew by more than ${growthMaxMegabytes} MB: ${words}`);
    return words;
  }
}
