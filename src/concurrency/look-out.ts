import { setTimeout as sleep } from 'node:timers/promises';

export interface LookOutOptions {
  /** Between two looks, however often it is woken: what comes meanwhile is found together. */
  readonly pauseMinMs: number;
  /** Between two looks while nothing is found. */
  readonly pauseMaxMs: number;
  readonly onError: (error: unknown) => void;
  /** Looks, and does what it finds. A failure is told, and nothing was found. */
  work(): Promise<Found>;
}

/** `more`: there is more of it, so that no pause is made. `some`: there may be more soon, so that the next look comes early. */
export type Found = 'more' | 'some' | 'nothing';

export interface LookOut {
  /** There is something: looks at once. */
  wake(): void;
  /** Resolves when what is under way is done. */
  end(): Promise<void>;
}

/** A rest follows each look, so many times as long: under load much is found together, and most of the time is left to others. */
const REST_FACTOR = 4;
const REST_MAX_MS = 100;

/** After a look that found something the next comes early, and then later and later. */
const STRETCH = 2;

/** Looks for work whenever it is woken, and by itself: often while there is some, and seldom while there is none. */
export function lookOut({ pauseMinMs, pauseMaxMs, onError, work }: LookOutOptions): LookOut {
  const stop = new AbortController();
  let woken = Promise.withResolvers<void>();
  const run = async () => {
    let pauseMs = pauseMaxMs;
    while (!stop.signal.aborted) {
      woken = Promise.withResolvers();
      const beganMs = performance.now();
      const found = await work().catch((error: unknown): Found => {
        onError(error);
        return 'nothing';
      });
      if (found === 'more') continue;
      pauseMs = found === 'some' ? pauseMinMs * STRETCH : Math.min(pauseMs * STRETCH, pauseMaxMs);
      const restMs = Math.max(pauseMinMs, Math.min(REST_FACTOR * (performance.now() - beganMs), REST_MAX_MS));
      await rest(restMs, stop.signal);
      if (pauseMs > restMs) await Promise.race([woken.promise, rest(pauseMs - restMs, stop.signal)]);
    }
  };
  const done = run();
  return {
    wake: () => woken.resolve(),
    async end() {
      stop.abort();
      await done;
    },
  };
}

function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return sleep(milliseconds, undefined, { signal, ref: false }).catch(() => {});
}
