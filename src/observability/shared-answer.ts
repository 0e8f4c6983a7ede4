import { setTimeout as sleep } from 'node:timers/promises';

/** Collecting takes at most a tenth of the time, however many clients ask. */
const PAUSE_PER_WORK = 9;
/** The longest pause when a collection takes long for another reason, such as an unreachable database. */
const PAUSE_MAX_MS = 250;

/** Callers during a collection share its answer. */
export function shared<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/** Shares answers like {@link shared}, with a pause after each one. Callers during the pause share the next answer. */
export function sharedWithPauses<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let nextAtMs = 0;
  return shared(async () => {
    const pauseMs = nextAtMs - performance.now();
    if (pauseMs > 0) await sleep(pauseMs);
    const begunAtMs = performance.now();
    try {
      return await ask();
    } finally {
      const endedAtMs = performance.now();
      nextAtMs = endedAtMs + Math.min(PAUSE_MAX_MS, PAUSE_PER_WORK * (endedAtMs - begunAtMs));
    }
  });
}
