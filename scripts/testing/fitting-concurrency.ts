import { availableParallelism, cpus } from 'node:os';

const WINDOW_MS = 1_000;
/** The share of the processors' time that nobody used: with more of it another fits beside those that run, with less there are too many. */
const IDLE = { more: 0.125, fewer: 0.04 };

interface ProcessorTime {
  readonly atMs: number;
  readonly idleMs: number;
  readonly allMs: number;
}

/**
 * How much may run at once on this machine, by how long its processors had nothing to do in the last second. On processors that have
 * nothing to spare more at once takes no less time together, and each takes longer.
 */
export class FittingConcurrency {
  readonly #most: number;
  /** Those that wait for a place, in their order. */
  readonly #waiting: (() => void)[] = [];
  #places: number;
  #running = 0;

  constructor(most: number) {
    this.#most = most;
    this.#places = Math.min(most, availableParallelism());
    let before = readProcessorTime();
    setInterval(() => {
      const now = readProcessorTime();
      const idle = idleShare(before, now);
      before = now;
      // With fewer than there may be, a machine that is free says nothing.
      if (idle > IDLE.more && this.#running >= this.#places) this.#setPlaces(this.#places + 1);
      // Those that run end by themselves: far fewer places would leave the processors idle when they have.
      else if (idle < IDLE.fewer) this.#setPlaces(Math.max(this.#places, this.#running) - 1);
    }, WINDOW_MS).unref();
  }

  /** Does the work when there is a place for it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running >= this.#places) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#wakeOne();
    }
  }

  #setPlaces(places: number): void {
    this.#places = Math.min(this.#most, Math.max(1, places));
    this.#wakeOne();
  }

  #wakeOne(): void {
    if (this.#running < this.#places) this.#waiting.shift()?.();
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
