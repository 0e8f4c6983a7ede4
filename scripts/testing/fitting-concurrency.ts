import { availableParallelism, cpus } from 'node:os';

const WINDOW_MS = 2_000;
/** The share of the processors' time that nobody used: with more of it another fits beside those that run, with less there are too many. */
const IDLE = { more: 0.2, fewer: 0.04 };

interface ProcessorTime {
  readonly idle: number;
  readonly all: number;
}

/**
 * How much may run at once on this machine, by how long its processors had nothing to do in the last seconds. On processors that have
 * nothing to spare more at once takes no less time together, and each takes longer.
 */
export class FittingConcurrency {
  readonly #most: number;
  readonly #timer: NodeJS.Timeout;
  #current: number;
  #wake: () => void = () => {};

  /** @param countRunning How many run: with fewer than there may be, a machine that is free says nothing. */
  constructor(most: number, countRunning: () => number) {
    this.#most = most;
    this.#current = Math.min(most, availableParallelism());
    let before = readProcessorTime();
    this.#timer = setInterval(() => {
      const now = readProcessorTime();
      const idle = (now.idle - before.idle) / (now.all - before.all);
      before = now;
      if (idle > IDLE.more && countRunning() >= this.#current) this.#change(1);
      else if (idle < IDLE.fewer) this.#change(-1);
    }, WINDOW_MS).unref();
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

function readProcessorTime(): ProcessorTime {
  const times = cpus().map((cpu) => cpu.times);
  const idle = sum(times.map((each) => each.idle));
  return { idle, all: sum(times.flatMap((each) => Object.values(each))) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
