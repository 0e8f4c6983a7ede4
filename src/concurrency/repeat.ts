import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition {
  readonly pauseMs: number;
  readonly onError: (error: unknown) => void;
  work(signal: AbortSignal): Promise<unknown>;
}

/**
 * Repeats work, with a pause after each time. After a failure `onError` is called, and the work is tried again after the pause.
 *
 * @returns A function that stops it.
 */
export function repeat({ pauseMs, onError, work }: Repetition): () => Promise<void> {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      await work(stop.signal).catch(onError);
      await sleep(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  };
  const done = run();
  return async () => {
    stop.abort();
    await done;
  };
}
