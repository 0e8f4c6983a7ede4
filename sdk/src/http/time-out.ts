import { AbortedError, AnswerTimeoutError } from '../errors.ts';

/**
 * Runs something for a limited time. It ends in time even when what runs ignores its signal.
 *
 * @throws AnswerTimeoutError after `timeoutMs`, AbortedError when the caller's signal is aborted.
 */
export async function withTimeout<T>(
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw aborted(signal);
  const controller = new AbortController();
  let release = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (error: Error) => {
      reject(error);
      controller.abort(error);
    };
    const onAbort = () => end(aborted(signal));
    const timer = setTimeout(() => end(new AnswerTimeoutError(`No whole answer within ${timeoutMs} ms.`)), timeoutMs);
    signal?.addEventListener('abort', onAbort);
    release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([ended, run(controller.signal)]);
  } finally {
    release();
  }
}

function aborted(signal: AbortSignal | undefined): AbortedError {
  return new AbortedError('The call was aborted by its signal.', { cause: signal?.reason });
}
