import type { Readable } from 'node:stream';

export interface StreamBounds {
  /** From one part to the next. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** What is carried for minutes has these, whatever its size. */
export const TRANSFER_BOUNDS: StreamBounds = { idleMs: 30_000, totalMs: 900_000 };

/** Ends a stream whose other end has stopped, or that takes longer than it may. What is half sent is then cut off. */
export function boundStream(stream: Readable, { idleMs, totalMs }: StreamBounds): Readable {
  const end = (reason: string) => () => stream.destroy(new Error(`The stream was ended: ${reason}.`));
  const total = setTimeout(end(`it took longer than ${totalMs} ms`), totalMs);
  const idle = setTimeout(end(`nothing moved for ${idleMs} ms`), idleMs);
  stream.on('data', () => idle.refresh());
  // Whoever listens for data sets a stream flowing; it begins when it is read.
  stream.pause();
  stream.once('close', () => {
    clearTimeout(total);
    clearTimeout(idle);
  });
  return stream;
}
