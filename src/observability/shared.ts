import { setTimeout as sleep } from 'node:timers/promises';

/** What is asked for takes a tenth of the time at most, however many ask. */
const PAUSE_PER_WORK = 9;
/** What takes long for another reason than its work, such as a database that is away, is still asked for so often. */
const PAUSE_MAX_MS = 250;

/** Those who ask while an answer is under way share it. */
export function shared<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | undefined;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/** The same, with a pause after each answer. Those who ask during it share the next. */
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
