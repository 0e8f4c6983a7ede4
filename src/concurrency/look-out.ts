import { setTimeout as sleep } from 'node:timers/promises';

export interface LookOutOptions {
  /** The least pause between two looks, however often it is woken: work that arrives meanwhile is found together. */
  readonly pauseMinMs: number;
  /** The longest pause between two looks while nothing is found. */
  readonly pauseMaxMs: number;
  readonly onError: (error: unknown) => void;
  /** Looks for work and does it. After a failure `onError` is called, and the look counts as having found nothing. */
  work(): Promise<FoundWork>;
}

/** `more`: there is more work, so there is no pause. `some`: there may be more soon, so the next look comes early. */
export type FoundWork = 'more' | 'some' | 'nothing';

export interface LookOut {
  /** There is work: look at once. */
  wake(): void;
  /** Resolves when the work under way is done. */
  end(): Promise<void>;
}

const REST_FACTOR = 4;
const REST_MAX_MS = 100;

/** After a look that found work the pauses grow by this factor. */
const STRETCH = 2;

/**
 * The pause after a look, in milliseconds: four times its duration, within limits. Under load much work is found together, and most of the
 * time is left to other work.
 */
export function restAfter(lookMs: number, { leastMs, mostMs }: { readonly leastMs: number; readonly mostMs: number }): number {
  return Math.max(leastMs, Math.min(REST_FACTOR * lookMs, mostMs));
}

/** Looks for work when it is woken, and at intervals: short ones while it finds work, longer ones while it finds none. */
export function lookOut({ pauseMinMs, pauseMaxMs, onError, work }: LookOutOptions): LookOut {
  const stop = new AbortController();
  let woken = Promise.withResolvers<void>();
  const run = async () => {
    let pauseMs = pauseMaxMs;
    while (!stop.signal.aborted) {
      woken = Promise.withResolvers();
      const beganMs = performance.now();
      const found = await work().catch((error: unknown): FoundWork => {
        onError(error);
        return 'nothing';
      });
      if (found === 'more') continue;
      pauseMs = found === 'some' ? pauseMinMs * STRETCH : Math.min(pauseMs * STRETCH, pauseMaxMs);
      const restMs = restAfter(performance.now() - beganMs, { leastMs: pauseMinMs, mostMs: REST_MAX_MS });
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
