import { cpus } from 'node:os';

const SAMPLE_MS = 2_000;
/** Idle shares of all processors together: with more another fits beside those that run, and with less there are too many. */
const IDLE_SHARE = { more: 0.25, fewer: 0.05 };

/**
 * How much may run at once on this machine, by how idle it was in the last seconds. On processors that have nothing to spare more at once
 * takes no less time together, and each takes longer.
 */
export class FittingConcurrency {
  readonly #most: number;
  readonly #timer: NodeJS.Timeout;
  #current = 1;
  #wake: () => void = () => {};

  /** @param countRunning How many run: with fewer than there may be, an idle machine says nothing. */
  constructor(most: number, countRunning: () => number) {
    this.#most = most;
    let before = readTimes();
    this.#timer = setInterval(() => {
      const after = readTimes();
      const idleShare = (after.idle - before.idle) / Math.max(1, after.all - before.all);
      before = after;
      if (idleShare > IDLE_SHARE.more && countRunning() >= this.#current) this.#change(1);
      else if (idleShare < IDLE_SHARE.fewer) this.#change(-1);
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

/** Milliseconds since the machine was started, of all processors. */
function readTimes(): { readonly idle: number; readonly all: number } {
  const sums = { idle: 0, all: 0 };
  for (const { times } of cpus()) {
    sums.idle += times.idle;
    for (const time of Object.values(times)) sums.all += time;
  }
  return sums;
}
