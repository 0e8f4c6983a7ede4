import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const SAMPLE_MS = 200;
const SAMPLES = 10;
/** How many threads want a processor, for each processor: with fewer another fits beside those that run, and with more there are too many. */
const WANTED = { more: 1, fewer: 2 };
/** `0.31 0.58 0.60 3/412 1734`: of all threads, how many run or could. */
const RUNNABLE = /^\S+ \S+ \S+ (\d+)\//;
const LOAD = '/proc/loadavg';

/**
 * How much may run at once on this machine, by how many threads wanted a processor in the last seconds. On processors that have nothing to
 * spare more at once takes no less time together, and each takes longer. Where the system does not say, it is always the most.
 */
export class FittingConcurrency {
  readonly #most: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #current: number;
  #wake: () => void = () => {};

  /** @param countRunning How many run: with fewer than there may be, a machine that is free says nothing. */
  constructor(most: number, countRunning: () => number) {
    this.#most = most;
    this.#current = Math.min(most, availableParallelism());
    if (!existsSync(LOAD)) {
      this.#current = most;
      return;
    }
    const samples: number[] = [];
    this.#timer = setInterval(() => {
      samples.push(countRunnable());
      if (samples.length < SAMPLES) return;
      const wanted = samples.reduce((sum, each) => sum + each, 0) / SAMPLES / availableParallelism();
      samples.length = 0;
      if (wanted < WANTED.more && countRunning() >= this.#current) this.#change(1);
      else if (wanted > WANTED.fewer) this.#change(-1);
    }, SAMPLE_MS).unref();
  }

  get current(): number {
    return this.#current;
  }

  /** Resolves when more may run. */
  untilMore(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #change(by: 1 | -1): void {
    this.#current = Math.min(this.#most, Math.max(1, this.#current + by));
    if (by === 1) this.#wake();
  }
}

/** Without this one, which has just woken to count. */
function countRunnable(): number {
  return Number(RUNNABLE.exec(readFileSync(LOAD, 'utf8'))?.[1] ?? 1) - 1;
}
