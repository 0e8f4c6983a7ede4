import { availableParallelism, cpus } from 'node:os';

const WINDOW_MS = 2_000;
/** The share of the processors' time that nobody used: with more of it another fits beside those that run, with less there are too many. */
const IDLE = { more: 0.2, fewer: 0.04 };

interface ProcessorTime {
  readonly atMs: number;
  readonly idleMs: number;
  readonly allMs: number;
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
      const idle = idleShare(before, now);
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
  return {
    atMs: performance.now(),
    idleMs: sum(times.map((each) => each.idle)),
    allMs: sum(times.flatMap((each) => Object.values(each))),
  };
}

/** In a container the system tells of all processors of the machine, and only some of their time is for the tests. */
function idleShare(before: ProcessorTime, now: ProcessorTime): number {
  const [idleMs, allMs] = [now.idleMs - before.idleMs, now.allMs - before.allMs];
  const ownMs = availableParallelism() * (now.atMs - before.atMs);
  return Math.min(idleMs / allMs, 1 - (allMs - idleMs) / ownMs);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
