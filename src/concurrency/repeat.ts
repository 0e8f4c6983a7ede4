import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition {
  readonly pauseMs: number;
  readonly onError: (error: unknown) => void;
  /**
   * Does a part of the work.
   *
   * @returns Whether there is more, so that there is no pause.
   */
  work(signal: AbortSignal): Promise<boolean>;
}

/**
 * Repeats work. After a failure `onError` is called, and the work is tried again after the pause.
 *
 * @returns A function that stops it.
 */
export function repeat({ pauseMs, onError, work }: Repetition): () => Promise<void> {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      const hasMore = await work(stop.signal).catch((error: unknown) => {
        onError(error);
        return false;
      });
      if (!hasMore) await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  };
  const done = run();
  return async () => {
    stop.abort();
    await done;
  };
}
